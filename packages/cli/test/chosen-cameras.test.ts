import { expect, it } from 'vitest'
import { UsageError } from '../src/client-session.ts'
import { chosenCameras } from '../src/rollout-drawing.ts'

it('takes a camera for each picture; what follows the first = is its name', () => {
  expect(chosenCameras([])).toEqual({})
  expect(chosenCameras(['front=overhead', 'observation.images.wrist=hand=2'])).toEqual({
    ...{ front: 'overhead', 'observation.images.wrist': 'hand=2' },
  })
})

it.each([['front'], ['=overhead'], ['front=']])('%s is no choice', (text) => {
  expect(() => chosenCameras([text])).toThrow(UsageError)
  expect(() => chosenCameras([text])).toThrow('is not NAME=CAMERA')
})

it('takes one camera for a picture, and names both', () => {
  expect(() => chosenCameras(['front=left', 'wrist=left', 'front=right'])).toThrow(
    '--camera takes one camera for "front", not left and right.',
  )
})
