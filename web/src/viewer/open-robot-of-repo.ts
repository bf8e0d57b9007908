/** A model of a repo in the viewer, with what the card of its robot says of it. */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { CardPose } from './protocol.ts'
import { openRobotViewer } from './robot-viewer.ts'
import type { RobotViewer, ViewerOptions } from './viewer-face.ts'

/** What of a card the viewer uses. */
export interface ViewedCard {
  readonly mjcfPath: string | null
  readonly base: string | null
  readonly pose: CardPose
  readonly cameras: readonly { readonly name: string; readonly width: number | null; readonly height: number | null }[]
  /** What a policy relies on; null where the card declares no interface. */
  readonly face: EmbodimentInterface | null
}

type RepoModel = Pick<ViewerOptions, 'entry' | 'files' | 'sign' | 'canvas' | 'theme'> & {
  readonly card: ViewedCard | null
}

/** Opens `entry`: at the pose of the card if it is the card's model, with the shapes of the card's cameras. */
export function openRobotOfRepo({ card, ...options }: RepoModel): RobotViewer {
  const isOfCard = options.entry === card?.mjcfPath
  return openRobotViewer({
    ...options,
    base: card?.base ?? null,
    pose: isOfCard && card ? card.pose : { keyframe: null, joints: null },
    aspectOf(camera) {
      const found = card?.cameras.find((one) => one.name === camera)
      return found?.width && found.height ? found.width / found.height : null
    },
  })
}
