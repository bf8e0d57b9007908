"""What Lightning's logger imports."""

from ..._run import Run


class RunDisabled(Run):
    """No run is of this class: a disabled one is a ``Run`` as well."""


__all__ = ["RunDisabled"]
