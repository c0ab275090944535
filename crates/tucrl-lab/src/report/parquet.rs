//! How is a table written as Parquet, for pandas, polars and DuckDB?
//!
//! One file per table, one row group, snappy. Whole numbers are unsigned 64-bit, numbers are doubles, text is UTF-8; a
//! column that may lack values is optional and its gaps are nulls.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::tables::{Table, Values};

/// A table as bytes.
///
/// # Errors
/// When the Parquet library fails.
pub fn parquet(table: &Table) -> Result<Vec<u8>> {
    let schema = Arc::new(parse_message_type(&schema(table))?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("tucrl ", env!("CARGO_PKG_VERSION")).into())
        .build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in &table.columns {
        let Some(mut writer) = group.next_column()? else { break };
        write(writer.untyped(), &column.values)?;
        writer.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

fn schema(table: &Table) -> String {
    let field = |name: &str, values: &Values| match values {
        Values::Text(_) => format!("required binary {name} (STRING);"),
        Values::Count(_) => format!("optional int64 {name} (INTEGER(64, false));"),
        Values::Number(_) => format!("optional double {name};"),
        Values::Flag(_) => format!("required boolean {name};"),
    };
    let fields: Vec<String> =
        table.columns.iter().map(|column| field(column.name, &column.values)).collect();
    format!("message {} {{ {} }}", table.name, fields.join(" "))
}

fn write(writer: &mut ColumnWriter<'_>, values: &Values) -> Result<()> {
    let written = match (writer, values) {
        (ColumnWriter::ByteArrayColumnWriter(writer), Values::Text(values)) => {
            let values: Vec<ByteArray> = values.iter().map(|value| value.as_str().into()).collect();
            writer.write_batch(&values, None, None)
        }
        (ColumnWriter::Int64ColumnWriter(writer), Values::Count(values)) => {
            // The bits of an unsigned number, as the format requires.
            let present: Vec<i64> =
                values.iter().flatten().map(|&value| value.cast_signed()).collect();
            writer.write_batch(&present, Some(&levels(values)), None)
        }
        (ColumnWriter::DoubleColumnWriter(writer), Values::Number(values)) => {
            let present: Vec<f64> = values.iter().flatten().copied().collect();
            writer.write_batch(&present, Some(&levels(values)), None)
        }
        (ColumnWriter::BoolColumnWriter(writer), Values::Flag(values)) => {
            writer.write_batch(values, None, None)
        }
        _ => Err(ParquetError::General("a column does not have the type of its schema".into())),
    };
    written.map(drop)
}

/// Definition levels: 1 where there is a value, 0 where there is none.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|value| i16::from(value.is_some())).collect()
}
