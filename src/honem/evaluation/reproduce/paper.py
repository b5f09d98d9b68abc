"""Numbers printed in the paper, which reports show beside ours.

Of its data only Wikispeedia is public, and no reading of its filter of paths gives its number of nodes and edges.
shenzhen, porto_poi and lloyds are of the same kind as its other data. All other results of the paper are figures.
"""

from __future__ import annotations

from honem.evaluation.data_table import DataRow

TABLE1 = (
    DataRow("Rome (paper)", None, 477, 5_614, 11.76, 19_403, 119_566, 6.16, 21.29, 10),
    DataRow("Bari (paper)", None, 522, 5_916, 11.33, 13_893, 88_594, 6.37, 14.97, 12),
    DataRow("Shipping (paper)", None, 3_058, 52_366, 17.12, 59_779, 311_691, 5.214, 5.95, 14),
    DataRow("Wiki (paper)", None, 4_043, 38_580, 9.54, 67_907, 255_672, 3.76, 6.62, 10),
)
"""Sizes of the networks; numbers of sequences are not given."""

TABLE2 = {
    "honem": {4: 0.316, 8: 0.364, 16: 0.409, 32: 0.528, 64: 0.529, 128: 0.543, 256: 0.591},
    "node2vec": {4: 0.079, 8: 0.152, 16: 0.165, 32: 0.184, 64: 0.195, 128: 0.1536, 256: 0.141},
}
"""Precision@1024 of link prediction on Rome, by method and dimension."""

CORRELATIONS = {
    ("wikispeedia", "few_clicks"): "0.6845",
    ("lloyds", "traffic"): "0.8612 (shipping)",
    ("shenzhen", "pickups"): "0.7535 (accidents in Rome and Bari)",
}
"""Correlation of a node's number of higher-order dependencies with its label, by the data of ours that are alike."""

MORE_LIKELY_IN_HIGH_TRAFFIC = 0.8056
"""How much more likely nodes in zones of high traffic are to have a dependency of order 2 or more."""
