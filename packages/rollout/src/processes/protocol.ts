/** The messages between a command and a process that runs rollouts, in plain JSON. */
import type { JointMap } from '@hub/embodiment/joint-map'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { SightsRequest } from '@hub/robot-view/scene/draw-sights'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { Disturbance } from '../loop/disturbance.ts'
import type { EpisodeStep, Outcome } from '../loop/episode.ts'
import type { ChosenCameras } from '../loop/eyes.ts'
import type { Task } from '../task-schema.ts'

/** The robot, the policy and the task of all rollouts. The process reads the files itself and sees no other. */
export interface RolloutJob {
  /** Of the model: paths in the repo, each with its path on this machine. */
  readonly files: readonly { readonly path: string; readonly file: string }[]
  readonly entry: string
  /** In the place of what the file of `entry` holds: of a URDF, as a check writes it. */
  readonly entryText: string | null
  readonly face: EmbodimentInterface
  /** Path of the ONNX file on this machine. */
  readonly policy: string
  /** The member `contract` of the policy's manifest. */
  readonly contract: unknown
  /** From the joints of the policy to those of the robot; null for joints by name. */
  readonly map: JointMap | null
  readonly task: Task
  readonly disturbance: Disturbance
  /** Cameras of the model that were chosen for pictures, by the policy's names of them. */
  readonly cameras: ChosenCameras
}

export type ToRollout =
  /** `sceneBytes`: how large the meshes may be of what its cameras see. */
  | { readonly kind: 'open'; readonly job: RolloutJob; readonly sceneBytes: number }
  /** `record`: the answer has the episode. */
  | { readonly kind: 'run'; readonly seed: number; readonly record: boolean }
  /** The pictures that it asked for: see `SeeSights`. */
  | { readonly kind: 'seen'; readonly pictures: readonly string[] }

/** What a process found when it opened the robot and the policy. */
export interface OpenedRollout {
  readonly joints: readonly string[]
  readonly rateHz: number
  readonly notes: readonly string[]
  /** Of the chosen cameras those that are others than without a choice: a part of what a result answers. */
  readonly cameras: ChosenCameras
  /** Versions of MuJoCo and of ONNX Runtime. */
  readonly engine: string
  readonly runtime: string
}

/** What the policy's pictures are drawn of. */
export interface SeenWorld {
  readonly cameras: readonly CameraFacts[]
  /** Of the scene, which the process has written to `SCENE_FD`. */
  readonly bytes: number
}

export type FromRollout =
  | { readonly kind: 'ready' }
  /** `seen`: null for a policy that sees no pictures. */
  | ({ readonly kind: 'opened'; readonly seen: SeenWorld | null } & OpenedRollout)
  /** It goes on once it is shown what its cameras see. */
  | ({ readonly kind: 'see' } & SightsRequest)
  /** Nothing can be run: one sentence each. */
  | { readonly kind: 'refused'; readonly why: readonly string[] }
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly episode: readonly EpisodeStep[] | null }
