/** Pictures for a policy in the page: which are asked for, and who gets the answer. */
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { Sight } from '@hub/robot-view/scene/sights'
import { describe, expect, it } from 'vitest'
import type { SeeRequest } from '../../../web/src/viewer/drive/drive-protocol.ts'
import { type SeenPicture, seenBy } from '../../../web/src/viewer/drive/seen-pictures.ts'
import { pictureDesk } from '../../../web/src/viewer/engine/picture-desk.ts'

const asked = [{ name: 'front', camera: 1, width: 2, height: 1 }]
const poses = { bodies: new Float32Array(7), cameras: new Float32Array(24) }

describe('the worker waits for pictures', () => {
  function desk() {
    const requests: SeeRequest[] = []
    return {
      requests,
      ...pictureDesk(
        () => poses,
        (request) => requests.push(request),
      ),
    }
  }
  const pixels = [Uint8Array.of(1)]

  it('of this moment, by the number of its request', async () => {
    const { requests, draw, seen, unseen } = desk()
    const first = draw(asked)
    expect(requests).toEqual([{ id: 1, asked, ...poses }])
    seen(7, [])
    unseen(0, 'late')
    seen(1, pixels)
    expect(await first).toBe(pixels)
    const second = draw(asked)
    unseen(2, 'No card.')
    await expect(second).rejects.toThrow('The pictures of the policy could not be drawn. No card.')
  })

  it('and no longer once its policy drives no more: a late answer is not that of the next one', async () => {
    const { draw, seen, end } = desk()
    const first = draw(asked)
    end()
    await expect(first).rejects.toThrow('The policy drives no more.')
    const second = draw(asked)
    seen(1, [])
    seen(2, pixels)
    expect(await second).toBe(pixels)
  })
})

describe('the page draws pictures', () => {
  const facts: readonly CameraFacts[] = [45, 60].map((angle) => ({
    ...{ name: null, field_of_view: angle, resolution: null, perspective: true },
  }))
  const cameras = Float32Array.from([...Array(12).fill(0), 1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1])
  const request: SeeRequest = { id: 3, asked, bodies: poses.bodies, cameras }

  it('at the size that is asked for, where the camera is, for the worker and for who watches', () => {
    const sights: Sight[] = []
    const heard: (readonly SeenPicture[])[] = []
    const drawn = [Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 255)]
    const draw = (_: ArrayLike<number>, wanted: readonly Sight[]) => {
      sights.push(...wanted)
      return drawn
    }
    expect(seenBy(request, facts, draw, (pictures) => heard.push(pictures))).toEqual({
      ...{ kind: 'seen', id: 3, pictures: drawn },
    })
    expect(sights).toMatchObject([{ position: [1, 2, 3], fieldOfView: 60, width: 2, height: 1 }])
    expect(heard).toMatchObject([[{ name: 'front', camera: 1 }]])
    expect([...(heard[0]?.[0]?.pixels ?? [])]).toEqual([...(drawn[0] ?? [])])
    // The worker takes its own with it.
    expect(heard[0]?.[0]?.pixels.buffer).not.toBe(drawn[0]?.buffer)
  })

  it('or says why not', () => {
    const never = () => expect.unreachable()
    const fails = () => {
      throw new Error('No card.')
    }
    expect(seenBy(request, facts, null, never)).toMatchObject({
      kind: 'unseen',
      why: 'The robot is not shown any more.',
    })
    expect(seenBy(request, facts, fails, never)).toMatchObject({ kind: 'unseen', id: 3, why: 'No card.' })
    expect(seenBy(request, [], () => [], never)).toMatchObject({ why: 'The model has no camera 1.' })
  })
})
