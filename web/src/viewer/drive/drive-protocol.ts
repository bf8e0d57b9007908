/** What a page asks of the worker when a policy drives the robot, and what it is told. */
import type { JointMap } from '@hub/embodiment/joint-map'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import type { Outcome } from '@hub/rollout/loop/episode'
import type { AskedPicture, ChosenCameras } from '@hub/rollout/loop/eyes'
import type { ModelInput } from '@hub/rollout/loop/pictures'
import type { KeptMap } from '../kept-map.ts'

/** A policy with what stands beside it. */
export interface DrivenPolicy {
  readonly name: string
  readonly onnx: Uint8Array<ArrayBuffer>
  /** Of its file. */
  readonly inputs: readonly ModelInput[]
  /** The member `contract` of its contract file or manifest; null where there is none. */
  readonly contract: unknown
  /** Of `task.json`; null where there is none. */
  readonly task: unknown
}

/** A policy, and the kept maps from it to the robot, newest first. */
export interface LoadedPolicy {
  readonly policy: DrivenPolicy
  readonly maps: readonly KeptMap[]
  /** Of the hub by its name; else of files of this machine, to which no link leads. */
  readonly isOfHub: boolean
}

export interface DriveRequest {
  readonly policy: DrivenPolicy
  readonly face: EmbodimentInterface
  /** From the joints of the policy to those of the robot; null for joints by name. */
  readonly map: JointMap | null
  readonly seed: number
  readonly disturbance: Disturbance
  /** Cameras of the model that were chosen for pictures, by the policy's names of them. */
  readonly cameras: ChosenCameras
}

/** Is told bytes that have come, and all of them. */
export type TellBytes = (doneBytes: number, totalBytes: number) => void

/** How far a drive is. */
export interface DriveStatus {
  readonly policy: string
  readonly task: string
  readonly seed: number
  readonly joints: readonly string[]
  readonly rateHz: number
  readonly notes: readonly string[]
  /** Decisions so far, and the time of the model. */
  readonly decisions: number
  readonly timeS: number
  readonly return: number
  /** Whether the condition of success holds now. */
  readonly holds: boolean
  /** Something was changed on its way: the episode is no longer that of its seed. */
  readonly changed: boolean
  /** Once it has ended. */
  readonly outcome: Outcome | null
}

export type DriveState =
  /** `runtime`: bytes of ONNX Runtime that have come, and all of them; null before and after. */
  | { readonly phase: 'loading'; readonly policy: string; readonly runtime: readonly [number, number] | null }
  /** What the simulation cannot give the policy, or why it cannot be run: one sentence each. */
  | { readonly phase: 'refused'; readonly policy: string; readonly why: readonly string[] }
  | { readonly phase: 'driving'; readonly status: DriveStatus }

export type ToDrive =
  | ({ readonly kind: 'drive' } & DriveRequest)
  | { readonly kind: 'disturb'; readonly change: Partial<Disturbance> }
  /** The robot is its owner's again. */
  | { readonly kind: 'undrive' }
  /** Asks for the episode so far. */
  | { readonly kind: 'record' }
  /** The pictures of the request `id`: red, green, blue and opacity of each pixel, row by row from the top. */
  | { readonly kind: 'seen'; readonly id: number; readonly pictures: readonly Uint8Array[] }
  /** They could not be drawn: a sentence. */
  | { readonly kind: 'unseen'; readonly id: number; readonly why: string }

/** What cameras of the model see at this moment, for a policy that waits for it. */
export interface SeeRequest {
  readonly id: number
  readonly asked: readonly AskedPicture[]
  /** Of a frame: see `PoseFrame`. */
  readonly bodies: Float32Array<ArrayBuffer>
  readonly cameras: Float32Array<ArrayBuffer>
}

export type FromDrive =
  | ({ readonly kind: 'see' } & SeeRequest)
  | { readonly kind: 'drive'; readonly state: DriveState | null }
  /** JSON of the episode. */
  | { readonly kind: 'recorded'; readonly text: string }
