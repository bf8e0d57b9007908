/** Pictures of the model's cameras for a policy: the page draws them, and the worker waits for its answer. */
import type { AskedPicture } from '@hub/rollout/loop/eyes'
import type { SeeRequest } from '../drive/drive-protocol.ts'

/** Where the robot and its cameras are now. */
type Poses = Pick<SeeRequest, 'bodies' | 'cameras'>

/** The page draws none: the policy cannot go on, and the robot can. */
export class NoPictures extends Error {
  override readonly name = 'NoPictures'
}

export interface PictureDesk {
  draw(asked: readonly AskedPicture[]): Promise<readonly Uint8Array[]>
  /** The answer to the request `id`; one that nobody waits for any more is dropped. */
  seen(id: number, pictures: readonly Uint8Array[]): void
  unseen(id: number, why: string): void
  /** What waits is rejected: its policy drives no more. */
  end(): void
}

/** `ask`: tells the page. */
export function pictureDesk(poses: () => Poses, ask: (request: SeeRequest) => void): PictureDesk {
  let requests = 0
  let waiting: PromiseWithResolvers<readonly Uint8Array[]> | null = null
  const answered = (id: number) => {
    const found = id === requests ? waiting : null
    if (found) waiting = null
    return found
  }
  return {
    draw(asked) {
      requests += 1
      waiting = Promise.withResolvers<readonly Uint8Array[]>()
      ask({ id: requests, asked, ...poses() })
      return waiting.promise
    },
    seen: (id, pictures) => answered(id)?.resolve(pictures),
    unseen: (id, why) => answered(id)?.reject(new NoPictures(`The pictures of the policy could not be drawn. ${why}`)),
    end() {
      waiting?.reject(new Error('The policy drives no more.'))
      waiting = null
    },
  }
}
