"""A view toolkit independent of the phone: views, layout, painting, dumps, touch rules."""

from pytest_mobileagent.virtual.ui.components import (
    AppBar,
    BottomNav,
    NavItem,
    Preference,
    Snackbar,
    Tabs,
)
from pytest_mobileagent.virtual.ui.controls import (
    Button,
    CheckBox,
    Chip,
    Fab,
    ImageButton,
    Input,
    ProgressBar,
    RadioButton,
    Spinner,
    Switch,
)
from pytest_mobileagent.virtual.ui.dialog import Dialog, sheet
from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    WRAP,
    Action,
    Card,
    Column,
    Divider,
    Drawing,
    Frame,
    Grid,
    HScroll,
    Icon,
    Image,
    List,
    Panes,
    Row,
    Scroll,
    SeekBar,
    Space,
    Text,
    Touch,
    View,
)

__all__ = [
    "MATCH", "WRAP", "Action", "AppBar", "BottomNav", "Button", "Card", "CheckBox", "Chip",
    "Column", "Dialog", "Divider", "Drawing", "Fab", "Frame", "Grid", "HScroll", "Icon", "Image",
    "ImageButton", "Input", "List", "NavItem", "Panes", "Preference", "ProgressBar", "RadioButton",
    "Row", "Scroll", "SeekBar", "Snackbar", "Space", "Spinner", "Switch", "Tabs", "Text", "Touch",
    "View", "sheet",
]  # fmt: skip
