"""Ids as wandb makes them."""

from ..._places import new_id as generate_id

__all__ = ["generate_id"]
