"""``python3 -m unittest`` in ``clients/python`` runs these on the sources beside them."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src"))
