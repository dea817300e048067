"""The Python face of the native engine: models that learn and predict, and their boxes."""

from boxwise.core.boxes import Boxes, label_array
from boxwise.core.model import Model
from boxwise.core.settings import EntropySettings, Range, Settings

__all__ = ["Boxes", "EntropySettings", "Model", "Range", "Settings", "label_array"]
