/** What a worker reports of a data set in tests. */

/** `meta/info.json` of a data set of LeRobot without an episode. */
export const datasetInfo = JSON.stringify({
  codebase_version: 'v2.1',
  fps: 30,
  total_episodes: 0,
  total_frames: 0,
  features: {},
})

/** A report with one finding of each severity. */
export const aReport = {
  ...{ layout: 2, version: 'v2.1', fps: 30, episodes: 3, frames: 90, errors: 1, warnings: 1 },
  findings: [
    {
      ...{ code: 'joint_limit', severity: 'error', episode: 2, frame: 7, joint: 'elbow' },
      ...{ place: 'observation.state.elbow', detail: '2.1 is above 1.5, the limit of the robot.' },
    },
    {
      ...{ code: 'dead_joint', severity: 'warning', episode: null, frame: null, joint: 'wrist' },
      ...{ place: 'observation.state.wrist', detail: 'is 0 in every frame of the data set' },
    },
  ],
  counts: { joint_limit: 1, dead_joint: 1 },
  unchecked: [],
  omitted: [],
  summary: {
    lengths: { lower: 30, upper: 30, counts: [3] },
    tasks: [{ task: 'pick the cube', episodes: 3, frames: 90 }],
    joints: [{ place: 'observation.state.elbow', lower: -1, upper: 2.5, counts: [40, 50] }],
  },
}
