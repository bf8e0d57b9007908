"""The parts of wandb's inside that loggers of other packages import."""
