/** Which camera draws each picture of a policy: by name, and else what a person chooses. */

import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import { type ChosenCameras, cameraByName, cameraName, eyeFor } from '@hub/rollout/loop/eyes'
import { picturesOf } from '@hub/rollout/loop/pictures'
import type { DrivenPolicy } from '../drive/drive-protocol.ts'
import { choice } from './choices.ts'
import { element } from './element.ts'

export interface PictureChoices {
  readonly node: HTMLElement
  /** Shows a choice for each picture of a policy; what was chosen before is forgotten, but for `wanted`. */
  open(policy: DrivenPolicy, wanted: ChosenCameras): void
  /** Names of cameras, by those of pictures. */
  chosen(): ChosenCameras
  /** What cannot be drawn as it is chosen now, one sentence each. */
  lacks(): readonly string[]
}

/** `cameras`: of the model. `onChange`: a person chose one. */
export function pictureChoices(
  cameras: readonly CameraFacts[],
  face: EmbodimentInterface,
  onChange: () => void,
): PictureChoices {
  const node = element('div', { class: 'viewer-pictures' })
  const chosen = new Map<string, string>()
  let seen: ReturnType<typeof picturesOf> | null = null
  const options = cameras.map((_, at) => [String(at), cameraName(cameras, at)] as const)
  return {
    node,
    chosen: () => Object.fromEntries(chosen),
    lacks() {
      const source = { cameras, chosen: Object.fromEntries(chosen), choice: 'list' } as const
      const eyes = (seen?.pictures ?? []).map((picture) => eyeFor(picture, source, face))
      return [...(seen?.lacks ?? []), ...eyes.filter((eye) => typeof eye === 'string')]
    },
    open(policy, wanted) {
      seen = picturesOf(policy.inputs, policy.contract)
      chosen.clear()
      const rows = cameras.length === 0 ? [] : seen.pictures
      node.replaceChildren(
        ...rows.map((picture) => {
          const { name, width, height } = picture
          const own = cameraByName(picture, cameras, face)
          const none = own === null ? [['', 'Choose a camera'] as const] : []
          const made = choice(`${name} (${width} × ${height}) is seen by`, [...none, ...options], (value) => {
            if (value === '') chosen.delete(name)
            else chosen.set(name, cameraName(cameras, Number(value)))
            onChange()
          })
          const asked = cameras.findIndex((_, at) => cameraName(cameras, at) === wanted[name])
          if (asked >= 0) chosen.set(name, cameraName(cameras, asked))
          made.select.value = asked >= 0 ? String(asked) : own === null ? '' : String(own)
          return made.node
        }),
      )
    },
  }
}
