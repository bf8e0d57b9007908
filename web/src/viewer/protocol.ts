/** The messages between a page and the worker that runs MuJoCo for it. */

import type { BodyMass } from '@hub/robot-view/physics/inertia-boxes'
import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import type { CameraFacts, LayeredScene } from '@hub/robot-view/scene/scene'
import type { FromDrive, ToDrive } from './drive/drive-protocol.ts'

/** The pose that a robot is shown in first: what its card says, over the model's own. */
export interface CardPose {
  /** Name of a keyframe; `home`, or the first one, without it. */
  readonly keyframe: string | null
  /** Positions by joint name, over the keyframe. */
  readonly joints: Readonly<Record<string, number>> | null
}

export interface OpenRequest {
  /** Path of the model, an MJCF or URDF file of the repo. */
  readonly entry: string
  /** `fixed` or `floating`, as the card says; only a URDF needs it. */
  readonly base: string | null
  readonly pose: CardPose
  /** Every file of the repo with its size in bytes. */
  readonly files: readonly (readonly [path: string, sizeBytes: number])[]
}

/** What a compiled model is shown with. */
export interface OpenedModel {
  readonly facts: ModelFacts
  readonly cameras: readonly CameraFacts[]
  readonly scene: LayeredScene
  /**
   * Name of each body with its parent's place, its mass in kg and the box of its inertia; the first one is the world.
   */
  readonly bodies: readonly (BodyMass & { readonly name: string; readonly parent: number })[]
  /** A length of the model in metres: about half its size (`stat.extent`). */
  readonly extent: number
  /** Place of each actuator's control in `ctrl`. */
  readonly controls: readonly number[]
  readonly version: string
  readonly loaded: LoadFacts
}

/** What opening took. */
interface LoadFacts {
  readonly files: number
  readonly bytes: number
  /** From the start of each part to its end, in ms. */
  readonly engineMs: number
  readonly filesMs: number
  readonly compileMs: number
}

/** The state of the simulation at one moment. */
export interface PoseFrame {
  /** Of the model's own clock, in s. */
  readonly time: number
  readonly qpos: Float64Array<ArrayBuffer>
  readonly ctrl: Float64Array<ArrayBuffer>
  /** Seven numbers of each body: position, then w, x, y, z of its quaternion, in the frame of the world. */
  readonly bodies: Float32Array<ArrayBuffer>
  /** Twelve numbers of each camera: position, then its rotation matrix row by row. */
  readonly cameras: Float32Array<ArrayBuffer>
  /** Six numbers of each contact, in the frame of the world: its place, and the direction of its normal. */
  readonly contacts: Float32Array<ArrayBuffer>
  /** As `bodies`, of a second pose that is drawn through the first; null where there is none. */
  readonly ghost: Float32Array<ArrayBuffer> | null
  /** MuJoCo put the model back to its start, since its motion was no longer one. */
  readonly unstable: boolean
}

export type Stage = 'engine' | 'model' | 'files' | 'compile'

/** Why a robot is not shown: what is wrong, and what helps. */
export interface Problem {
  readonly title: string
  readonly details: readonly string[]
  readonly fix: string
}

export type ToEngine =
  | ({ readonly kind: 'open' } & OpenRequest)
  | { readonly kind: 'signed'; readonly id: number; readonly urls: readonly string[] }
  | { readonly kind: 'unsigned'; readonly id: number; readonly why: string }
  /** Sets places of qpos from `at` on. */
  | { readonly kind: 'qpos'; readonly at: number; readonly values: readonly number[] }
  /** Puts the model at a whole pose, and a second one of it beside; nothing is stepped. */
  | { readonly kind: 'replay'; readonly qpos: readonly number[]; readonly ghost: readonly number[] | null }
  | { readonly kind: 'control'; readonly at: number; readonly value: number }
  /** The default pose is -1. */
  | { readonly kind: 'keyframe'; readonly at: number }
  /** Steps the model once. */
  | { readonly kind: 'step' }
  /** Steps the model by so much of its own time, and for no longer than `budgetMs`. */
  | { readonly kind: 'advance'; readonly seconds: number; readonly budgetMs: number }
  | ToDrive

export type FromEngine =
  | { readonly kind: 'progress'; readonly stage: Stage; readonly doneBytes: number; readonly totalBytes: number }
  /** Asks for an address of each path. */
  | { readonly kind: 'sign'; readonly id: number; readonly paths: readonly string[] }
  | { readonly kind: 'opened'; readonly model: OpenedModel; readonly frame: PoseFrame }
  | { readonly kind: 'frame'; readonly frame: PoseFrame }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | FromDrive
