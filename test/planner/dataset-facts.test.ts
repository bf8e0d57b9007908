import { describe, expect, it } from 'vitest'
import { parseDatasetFacts } from '../../src/planner/dataset-facts.ts'

const parse = (value: unknown) => parseDatasetFacts('svc://a/b', Buffer.from(JSON.stringify(value)))

const info = (change: object = {}) => ({
  codebase_version: 'v2.1',
  robot_type: 'so100',
  total_episodes: 50,
  total_frames: 11_939,
  fps: 30,
  features: {
    action: { dtype: 'float32', shape: [6], names: ['a', 'b'] },
    'observation.state': { dtype: 'float32', shape: [7], names: null },
    'observation.images.top': {
      dtype: 'video',
      shape: [480, 640, 3],
      names: ['height', 'width', 'channels'],
      info: {},
    },
    'observation.images.wrist': { dtype: 'image', shape: [3, 240, 320], names: ['channels', 'height', 'width'] },
    timestamp: { dtype: 'float32', shape: [1], names: null },
  },
  ...change,
})

describe('what a dataset says of itself', () => {
  it.each(['v2.0', 'v2.1', 'v3.0'])('is read in version %s', (codebase_version) => {
    expect(parse(info({ codebase_version }))).toEqual({
      ref: 'svc://a/b',
      cameras: [
        { key: 'observation.images.top', width: 640, height: 480 },
        { key: 'observation.images.wrist', width: 320, height: 240 },
      ],
      fps: 30,
      episodes: 50,
      frames: 11_939,
      stateDim: 7,
      actionDim: 6,
      robotType: 'so100',
    })
  })

  it.each([
    [[480, 640, 3], null, 640, 480],
    [[3, 480, 640], null, 640, 480],
    [[480, 640, 3], { axes: ['height'] }, 640, 480],
    [[640, 480, 3], ['width', 'height', 'channel'], 640, 480],
    [[1, 64, 48], ['c', 'h', 'w'], 48, 64],
  ])('knows the sides of a camera of shape %j with names %j', (shape, names, width, height) => {
    const features = { cam: { dtype: 'video', shape, names } }
    expect(parse(info({ features }))?.cameras).toEqual([{ key: 'cam', width, height }])
  })

  it('passes over features that are none, and members that hold something else', () => {
    const features = {
      a: null,
      b: { dtype: 'video' },
      c: { dtype: 'video', shape: [480, 640] },
      d: { dtype: 'video', shape: [0, -1, 3] },
      'observation.state': { dtype: 'float32', shape: [] },
      action: { dtype: 'float32', shape: [2, 7] },
    }
    expect(parse(info({ features, fps: 'fast', total_frames: -1, robot_type: 5 }))).toEqual({
      ref: 'svc://a/b',
      cameras: [],
      fps: null,
      episodes: 50,
      frames: null,
      stateDim: null,
      actionDim: 14,
      robotType: null,
    })
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another version', JSON.stringify(info({ codebase_version: 'v1.6' }))],
    ['no features', JSON.stringify(info({ features: null }))],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('is nothing where the file holds %s', (_, bytes) => {
    expect(parseDatasetFacts('svc://a/b', Buffer.from(bytes))).toBeNull()
  })
})
