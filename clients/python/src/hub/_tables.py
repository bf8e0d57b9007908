"""Tables and histograms that ``log`` takes: their numbers stay exact."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from ._arrays import counted, listed
from ._media import Media
from ._once import say_once

#: As many bins as wandb allows.
_MAX_BINS = 512


class Histogram(Media):
    """Values to count, or ``np_histogram=(counts, edges)``."""

    kind = "histogram"

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        super().__init__(None, None, ".json")
        if np_histogram is not None:
            self.histogram, self.bins = listed(np_histogram[0]), listed(np_histogram[1])
        else:
            self.histogram, self.bins = counted(sequence if sequence is not None else [], max(1, min(_MAX_BINS, num_bins)))
        if len(self.bins) != len(self.histogram) + 1:
            raise ValueError(f"A histogram of {len(self.histogram)} counts has {len(self.histogram) + 1} edges, not {len(self.bins)}.")

    def value(self) -> Dict[str, Any]:
        return {"edges": self.bins, "counts": self.histogram}


class Table(Media):
    """Rows under named columns; also a data frame of pandas."""

    kind = "table"

    def __init__(self, columns: Optional[Sequence[Any]] = None, data: Any = None, rows: Any = None, dataframe: Any = None, **_: Any) -> None:
        super().__init__(None, None, ".json")
        frame = dataframe if dataframe is not None else data if hasattr(data, "columns") else None
        if frame is not None:
            # By column: a frame of mixed columns as one array makes floats of its whole numbers.
            self.columns: List[Any] = [str(one) for one in frame.columns]
            by_column = [listed(frame.iloc[:, at]) for at in range(len(self.columns))]
            self.data: List[List[Any]] = [list(row) for row in zip(*by_column)]
            return
        self.data = [list(listed(row)) for row in listed(data if data is not None else rows) or []]
        self.columns = list(columns) if columns is not None else ["Input", "Output", "Expected"]
        for row in self.data:
            self._check(row)

    def _check(self, row: Sequence[Any]) -> None:
        if len(row) != len(self.columns):
            raise ValueError(f"The table has {len(self.columns)} columns; the row has {len(row)} values.")

    def add_data(self, *row: Any) -> None:
        """Adds a row."""
        self._check(row)
        self.data.append(list(row))

    add_row = add_data

    def add_column(self, name: str, data: Any, **_: Any) -> None:
        """Adds a column with a value for each row."""
        values = list(listed(data))
        if self.data and len(values) != len(self.data):
            raise ValueError(f"The table has {len(self.data)} rows; the column has {len(values)} values.")
        self.data = [[*row, value] for row, value in zip(self.data or [[] for _ in values], values)]
        self.columns.append(name)

    def get_column(self, name: str, convert_to: Optional[str] = None) -> Any:
        """The values of a column; as an array with ``convert_to="numpy"``."""
        at = self.columns.index(name)
        values = [row[at] for row in self.data]
        if convert_to == "numpy":
            import importlib

            return importlib.import_module("numpy").array(values)
        return values

    def iterrows(self) -> Any:
        """Number and values of each row."""
        return enumerate(self.data)

    def value(self) -> Dict[str, Any]:
        return {"columns": [one if isinstance(one, str) else str(one) for one in self.columns],
                "rows": [[_cell(cell) for cell in row] for row in self.data]}


def _cell(cell: Any) -> Any:
    if not isinstance(cell, Media):
        return cell
    say_once("Table.media", "Pictures and other media within a Table are kept as text: their file's path or their caption. Log them beside it to see them.")
    return str(cell._path) if cell._path is not None else cell.caption or type(cell).__name__
