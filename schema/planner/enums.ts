/** Enum types of recipes. */
import { wordEnum } from '../word-enum.ts'

export const RunExecutorEnum = wordEnum('RunExecutor', 'Who executes a run, or serves an endpoint.', {
  worker: "A runner on the owner's machine claims it; never billed.",
  hosted: "The hub's GPU backend, billed by the second.",
})
export const VideoModeEnum = wordEnum(
  'VideoMode',
  'What a gate renders; measurements and verdict do not depend on it.',
  {
    full: 'Per cell, three 640x480 views as mp4.',
    poster: 'Per cell, one 320x240 still image.',
    none: 'No rendering, physics only.',
  },
)
export const TrainingMethodEnum = wordEnum('TrainingMethod', 'Training method.', {
  lora: 'Low-rank adapters on frozen weights (LoRA).',
  full: 'Full fine-tuning of all weights.',
  rl: 'Reinforcement learning in simulation.',
})
