"""The lecture notebooks run from beginning to end."""

import warnings
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[3] / "examples" / "notebooks").glob("*.ipynb"))


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
# Jupyter's own packages warn about each other.
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import nbclient
        import nbformat

        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        stored = [cell.get("outputs") for cell in notebook.cells if cell.cell_type == "code"]
        assert not any(stored), "outputs are not committed"
        client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
        client.execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in shown), "a lecture has a figure"
    assert not [output for output in shown if output.get("name") == "stderr"]
