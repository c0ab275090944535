//! Which logarithms, powers and angles have the same bits on every platform?
//!
//! The methods of `f64` call the C library of the platform, whose last bits differ between Linux, macOS, Windows and
//! WebAssembly. One bit is enough to end an episode a step later and to change a run. These functions are those of the
//! crate `libm`, in Rust: additions, multiplications, divisions and square roots only, which IEEE 754 fixes. `clippy.toml`
//! refuses the methods. `sqrt`, `floor`, `ceil`, `round` and `trunc` are exact everywhere and stay methods.

/// The natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// ln(1 + x).
#[inline]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// The logarithm to base 2.
#[inline]
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// The logarithm to base 10.
#[inline]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// e to the power of x.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// e to the power of x, minus 1.
#[inline]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// x to the power of y.
#[inline]
pub fn powf(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// x to a whole power, by repeated squaring: the compiler may choose any order of the products of `f64::powi`.
#[inline]
pub fn powi(x: f64, power: i32) -> f64 {
    let (mut square, mut left, mut product) = (x, power.unsigned_abs(), 1.0);
    loop {
        if left & 1 == 1 {
            product *= square;
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        square *= square;
    }
    if power < 0 { 1.0 / product } else { product }
}

/// The cube root.
#[inline]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// The cosine.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Sine and cosine.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The tangent.
#[inline]
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

/// The arc tangent.
#[inline]
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Function = fn(f64) -> f64;

    /// Arguments of both signs from 1e-12 to 700, without a pattern in their bits.
    fn arguments() -> impl Iterator<Item = f64> {
        let sizes = (0..2000).map(|i| 1e-12 * powi(1.017_171_717_171_717, i));
        sizes.flat_map(|x| [x, -x])
    }

    fn functions() -> Vec<(&'static str, Function, Function)> {
        vec![
            ("ln", ln, f64::ln),
            ("ln_1p", ln_1p, f64::ln_1p),
            ("log2", log2, f64::log2),
            ("log10", log10, f64::log10),
            ("exp", exp, f64::exp),
            ("exp_m1", exp_m1, f64::exp_m1),
            ("powf", |x| powf(x, 0.7), |x| x.powf(0.7)),
            ("powf of 10", |x| powf(10.0, x / 10.0), |x| 10f64.powf(x / 10.0)),
            ("powi", |x| powi(x, 3), |x| x.powi(3)),
            ("powi below 0", |x| powi(x, -5), |x| x.powi(-5)),
            ("cbrt", cbrt, f64::cbrt),
            ("cos", cos, f64::cos),
            ("sin", |x| sin_cos(x).0, f64::sin),
            ("cos of both", |x| sin_cos(x).1, f64::cos),
            ("tan", tan, f64::tan),
            ("atan", atan, f64::atan),
        ]
    }

    /// Each function is the one that its name says: the platform's agrees up to the last bits.
    #[test]
    fn the_platform_agrees_up_to_the_last_bits() {
        for (name, own, platform) in functions() {
            let mut finite = 0;
            for x in arguments() {
                let (a, b) = (own(x), platform(x));
                finite += usize::from(a.is_finite());
                let is_same = a.is_nan() && b.is_nan() || a == b;
                assert!(is_same || (a - b).abs() <= 4.0 * f64::EPSILON * b.abs(), "{name}({x})");
            }
            assert!(finite >= 1900, "{name}: {finite}");
        }
    }

    #[test]
    fn exact_results_are_exact() {
        for power in 0..=22 {
            let ten = format!("1e{power}").parse::<f64>().unwrap();
            assert_eq!((powi(10.0, power), powf(10.0, f64::from(power))), (ten, ten));
            assert_eq!(log10(ten), f64::from(power));
            assert_eq!(powi(10.0, -power), 1.0 / ten);
        }
        for power in -1022..=1023 {
            let two = f64::from_bits(((power + 1023) as u64) << 52);
            assert_eq!((powi(2.0, power), log2(two)), (two, f64::from(power)));
        }
        assert_eq!((powi(3.0, 0), powi(0.0, 0), powi(1.0, i32::MIN)), (1.0, 1.0, 1.0));
        assert_eq!((ln(1.0), exp(0.0), cbrt(27.0), exp_m1(0.0)), (0.0, 1.0, 3.0, 0.0));
        assert_eq!((ln(0.0), exp(f64::NEG_INFINITY)), (f64::NEG_INFINITY, 0.0));
    }

    /// One number for all bits of each function: a bit that differs on another platform, or in another version of the
    /// crate `libm`, is a change of values.
    #[test]
    fn the_bits_are_what_they_always_were() {
        let digest = |function: Function| {
            let numbers = arguments().map(function).filter(|number| !number.is_nan());
            numbers.fold(0u64, |digest, number| {
                digest.wrapping_mul(0x0000_0100_0000_01b3) ^ number.to_bits()
            })
        };
        let digests: Vec<(&str, u64)> =
            functions().iter().map(|&(name, own, _)| (name, digest(own))).collect();
        assert_eq!(digests, GOLDEN, "{digests:#x?}");
    }

    const GOLDEN: [(&str, u64); 16] = [
        ("ln", 0x2117_00dd_2bfb_fe84),
        ("ln_1p", 0xe918_661a_4c6e_37d6),
        ("log2", 0xe19f_1946_5b90_ac4e),
        ("log10", 0x0868_c12d_41d1_8503),
        ("exp", 0x3142_6825_5324_02ed),
        ("exp_m1", 0x9221_660f_2216_2b95),
        ("powf", 0x6978_f4ca_647f_2c46),
        ("powf of 10", 0x52a3_b780_15d4_88b5),
        ("powi", 0x5db9_d5e2_f9ae_20d6),
        ("powi below 0", 0x6854_92ec_345f_8158),
        ("cbrt", 0x3577_16f5_5d45_1ac6),
        ("cos", 0xe39f_f594_4391_fb1c),
        ("sin", 0xf3d2_5450_94f1_5300),
        ("cos of both", 0xe39f_f594_4391_fb1c),
        ("tan", 0x6c83_244b_0233_defa),
        ("atan", 0xfaf4_1793_22aa_2f22),
    ];
}
