/** What a viewer shows at one moment, for whatever draws its panels. */

import type { Layer } from '@hub/robot-view/scene/live-layers'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { Control } from './controls.ts'
import type { Coordinate } from './coordinates.ts'
import type { DriveState } from './drive/drive-protocol.ts'
import type { OpenedModel, PoseFrame, Problem, Stage } from './protocol.ts'

export interface Loading {
  readonly phase: 'loading'
  readonly stage: Stage
  readonly doneBytes: number
  readonly totalBytes: number
}

interface Failed {
  readonly phase: 'failed'
  readonly problem: Problem
}

/** What does not change while a model is shown. */
export interface ShownModel {
  readonly opened: Omit<OpenedModel, 'scene'>
  readonly coordinates: readonly Coordinate[]
  readonly controls: readonly Control[]
  readonly cameras: readonly CameraFacts[]
  /** Names of the joints of each body. */
  readonly jointsOf: readonly (readonly string[])[]
  /** Floats, and nothing of the model carries it: it falls as soon as it is simulated. */
  readonly falls: boolean
  /** From the start of the viewer to its first picture, in ms. */
  readonly firstPictureMs: number
}

export interface Ready {
  readonly phase: 'ready'
  readonly model: ShownModel
  /** At most ten a second while it is simulated. */
  readonly frame: PoseFrame
  readonly playing: boolean
  /** Of the model's time to that of the clock, as asked. */
  readonly speed: number
  /** As reached in the last second of a simulation; null before that. */
  readonly pace: number | null
  readonly framesPerSecond: number | null
  readonly layers: Readonly<Record<Layer, boolean>>
  /** Place of the camera that is looked through; null for the free view. */
  readonly camera: number | null
  /** Whether the view goes along with a robot that leaves; null for a robot that stays where it is. */
  readonly follows: boolean | null
  /** The body under the pointer and where that is in the canvas, in CSS pixels. */
  readonly pointed: { readonly body: number; readonly x: number; readonly y: number } | null
  readonly selected: number | null
  /** The policy that drives it; null where none does. */
  readonly drive: DriveState | null
  /** The motion diverged and was put back to its start. */
  readonly unstable: boolean
}

export type ViewerState = Loading | Failed | Ready
