"""What scripts use of wandb's helpers."""

from ._places import new_id as generate_id

__all__ = ["generate_id"]
