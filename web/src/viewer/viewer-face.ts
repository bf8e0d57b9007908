/** What a page gives to a robot's viewer, and what it can ask of it. */
import type { Layer } from '@hub/robot-view/scene/live-layers'
import type { Viewpoint } from '@hub/robot-view/scene/orbit-view'
import type { ThemeName } from '@hub/robot-view/scene/theme'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import type { DriveRequest } from './drive/drive-protocol.ts'
import type { SeenPicture } from './drive/seen-pictures.ts'
import type { OpenRequest } from './protocol.ts'
import type { ViewerState } from './viewer-state.ts'

export interface ViewerOptions extends OpenRequest {
  /** Addresses of files of the repo, in the order of the paths; at most 100 of them. */
  sign(paths: readonly string[]): Promise<readonly string[]>
  /** Width by height of the pictures of a camera, as the card has it; null where it does not. */
  aspectOf(camera: string): number | null
  readonly canvas: HTMLCanvasElement
  readonly theme: ThemeName
}

export interface RobotViewer {
  state(): ViewerState
  /** Calls `hear` after each change of the state, until the returned function is called. */
  subscribe(hear: () => void): () => void
  setCoordinate(place: number, value: number): void
  /** Puts the robot at a pose, all of qpos, and a second one beside; nothing is stepped. */
  replay(qpos: readonly number[], ghost: readonly number[] | null): void
  setControl(place: number, value: number): void
  /** Puts the robot at a keyframe, or at its default pose (-1), and pauses. */
  toKeyframe(place: number): void
  play(isPlaying: boolean): void
  /** Pauses, and steps the model once. */
  step(): void
  setSpeed(speed: number): void
  show(layer: Layer, isShown: boolean): void
  /** Lets a policy drive the robot from the start of its task; the state says how it goes. */
  drive(request: DriveRequest): void
  /** Changes what makes it harder, from now on. */
  disturb(change: Partial<Disturbance>): void
  /** No policy drives the robot any more. */
  undrive(): void
  /** Calls `hear` with the pictures that the policy is given, until the returned function is called. */
  watch(hear: (pictures: readonly SeenPicture[]) => void): () => void
  /** The episode of the policy so far, as JSON. */
  recorded(): Promise<string>
  lookThrough(camera: number | null): void
  select(body: number | null): void
  /** Whether the view goes along with a robot that leaves. */
  follow(isFollowing: boolean): void
  light(theme: ThemeName): void
  resetView(): void
  /** What is seen, as a PNG; null until a model is shown. */
  still(): Promise<Blob | null>
  /** Where the free view is: place and middle, three numbers each; null until a model is shown. */
  viewpoint(): Viewpoint | null
  /** Puts the free view there. */
  viewFrom(viewpoint: Viewpoint): void
  /** Ends the worker, and frees what the graphics card holds. */
  close(): void
}
