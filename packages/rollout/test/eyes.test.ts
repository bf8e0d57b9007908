/** Which camera of a model draws a picture that a policy sees. */
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import { describe, expect, test } from 'vitest'
import { type ChosenCameras, choiceFaults, chosenOtherwise, type Eyes, eyeFor } from '../src/loop/eyes.ts'
import type { Picture } from '../src/loop/pictures.ts'

const facts = (name: string | null, perspective = true): CameraFacts => ({
  ...{ name, field_of_view: 45, resolution: null, perspective },
})

describe('a picture is drawn by a camera of the model', () => {
  const picture: Picture = {
    ...{ name: 'front', slot: null, width: 8, height: 8, layout: 'chw', color: 'rgb', numbers: null },
    input: { name: 'observation.images.front', type: 'float32', shape: [1, 3, 8, 8] },
  }
  const seenBy = (cameras: readonly CameraFacts[], chosen: ChosenCameras = {}): Eyes => ({
    ...{ cameras, chosen, choice: 'list' },
  })
  const eye = (cameras: readonly CameraFacts[], chosen: ChosenCameras = {}) =>
    eyeFor(picture, seenBy(cameras, chosen), {})

  test('of its name, of the slot that the card gives, or as chosen', () => {
    expect(eye([facts('left'), facts('front')])).toBe(1)
    expect(eye([facts('left'), facts('front')], { front: 'left' })).toBe(0)
    // As its input is called, and a camera without a name by its place, unless another one has this for a name.
    expect(eye([facts('front'), facts(null)], { 'observation.images.front': 'camera 1' })).toBe(1)
    expect(eye([facts(null), facts('camera 0')], { front: 'camera 0' })).toBe(1)
    expect(eye([facts(null), facts('camera 0')], { front: 'camera 0 without a name' })).toBe(0)
    const card = { cameras: [{ name: 'left', vla_slot: 'base_0_rgb' as const }] }
    const slotted = { ...picture, name: 'cam', slot: 'base_0_rgb' }
    expect(eyeFor(slotted, seenBy([facts('right'), facts('left')]), card)).toBe(1)
    expect(eyeFor({ ...slotted, slot: null }, seenBy([facts('left')]), card)).toContain('Choose one')
  })

  test('or it is said that there is none, and what helps', () => {
    expect(eye([facts('left'), facts(null)])).toBe(
      'The policy sees pictures of "front" (8 x 8): the model has no camera of this name. ' +
        'Choose one of "left", camera 1.',
    )
    expect(eye([])).toContain('the model has no camera: add <camera name="front" .../> to its MJCF.')
    expect(eye([facts('front', false)])).toContain('"front" has no perspective')
    expect(eye([facts('front'), facts('left')], { front: 'above' })).toBe(
      'The policy sees pictures of "front" (8 x 8): the model has no camera "above", but "front", "left".',
    )
    expect(eye([], { front: 'above' })).toContain('the model has no camera: add <camera name="above" .../>')
    expect(eyeFor(picture, null, {})).toBe('The policy sees pictures of "front" (8 x 8): nothing here draws them.')
    expect(eyeFor(picture, { ...seenBy([facts('left')]), choice: 'option' }, {})).toContain(
      'no camera of this name, but "left": --camera front=CAMERA takes one of them, or name it in the contract, or ' +
        'in the card as its vla_slot.',
    )
  })

  test('and the choice of one for a picture that the policy does not see, or of two for one, is named', () => {
    const wrist = { ...picture, name: 'wrist', input: { ...picture.input, name: 'wrist' } }
    const faults = (chosen: ChosenCameras, pictures = [picture, wrist]) => choiceFaults(pictures, chosen)
    expect(faults({ front: 'left', wrist: 'left' })).toEqual([])
    expect(faults({ fornt: 'left' })).toEqual([
      'The camera "left" is chosen for "fornt", and the policy sees no picture of this name, but "front", "wrist".',
    ])
    expect(faults({ toString: 'left' }, [])).toEqual([
      'The camera "left" is chosen for "toString", and the policy sees no pictures.',
    ])
    expect(faults({ front: 'left', 'observation.images.front': 'right', wrist: 'left' })).toEqual([
      'Two cameras are chosen for "front", as "front" and "observation.images.front": name one.',
    ])
  })

  test('a choice is one where another camera draws than without it', () => {
    const other = (chosen: ChosenCameras, face = {}) =>
      chosenOtherwise([picture], seenBy([facts('front'), facts('left'), facts(null)], chosen), face)
    expect(other({})).toEqual({})
    expect(other({ front: 'front' })).toEqual({})
    expect(other({ 'observation.images.front': 'left' })).toEqual({ front: 'left' })
    expect(other({ front: 'camera 2' })).toEqual({ front: 'camera 2' })
  })
})
