/** Enum types of recipes. */
import { wordEnum } from '../word-enum.ts'

export const RunExecutorEnum = wordEnum('RunExecutor', 'Who executes a run, or serves an endpoint.', {
  worker: "A runner on one of the owner's machines, which claims it; never billed.",
  hosted: "The hub's GPU backend, billed by the second.",
})
export const VideoModeEnum = wordEnum(
  'VideoMode',
  'What is rendered of a gate; measurements and verdict are the same.',
  {
    full: 'Three views of 640x480 as mp4 a cell.',
    poster: 'One still of 320x240 a cell.',
    none: 'Physics only.',
  },
)
