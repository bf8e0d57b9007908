/** A policy that drives the robot of a worker: the loop of rollouts, at the pace of the page. */
import { type OnnxSession, openOnnx } from '@hub/policy-server/model/onnx-session'
import { type ClosedLoop, LoopLacks, openLoop } from '@hub/rollout/loop/closed-loop'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import { episodeDocument } from '@hub/rollout/loop/episode'
import type { PictureSource } from '@hub/rollout/loop/eyes'
import type { World } from '@hub/rollout/loop/world'
import { enduring, readTask } from '@hub/rollout/task-schema'
import type { DriveRequest, DriveStatus, TellBytes } from '../drive/drive-protocol.ts'
import { downloadedRuntime } from './onnx-download.ts'

export interface Drive {
  /** Goes on by so many seconds of the model's own time, or until `isOver`, or to its end. */
  advance(seconds: number, isOver: () => boolean): Promise<void>
  disturb(change: Partial<Disturbance>): void
  status(): DriveStatus
  /** The episode so far, as JSON. */
  record(): string
  /** Gives the model back as it was. */
  close(): void
}

/** Rejects with sentences for people: see `reasonsOf`. `drawn`: pictures of the model's cameras. `tell`: of ONNX Runtime. */
export async function openDrive(
  world: World,
  { policy, face, map, seed, disturbance }: DriveRequest,
  { drawn, tell }: { readonly drawn: PictureSource; readonly tell: TellBytes },
): Promise<Drive> {
  const task = policy.task === null ? enduring : readTask(policy.task)
  const session = await openOnnx(await downloadedRuntime(tell), policy.onnx)
  try {
    const { contract } = policy
    const loop = openLoop({ world, face, contract, map, policy: session, task, seed, disturbance, drawn })
    return driving(world, loop, session, { name: policy.name, task: task.name, seed })
  } catch (error) {
    await session.close()
    throw error
  }
}

/** What to tell of an error, one sentence each. */
export function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof LoopLacks) return error.lacks
  return [error instanceof Error ? error.message : String(error)]
}

function driving(
  { model, data }: World,
  loop: ClosedLoop,
  session: OnnxSession,
  { name, task, seed }: { readonly name: string; readonly task: string; readonly seed: number },
): Drive {
  const stepS = model.opt.timestep
  let owed = 0
  let [closed, changed] = [false, false]
  const decided = () =>
    loop.decide().catch((error: unknown) => {
      // One that was closed while it waited for its pictures has no model any more.
      if (!closed) throw error
    })
  return {
    async advance(seconds, isOver) {
      owed += seconds
      // The last decision of an episode has no step after it.
      while (!closed && !loop.outcome() && (owed >= stepS || loop.isDue())) {
        if (loop.isDue()) await decided()
        if (closed || loop.outcome()) return
        loop.step()
        owed -= stepS
        if (isOver()) owed = 0
      }
    },
    disturb(change) {
      // Before its first decision it is a drive of these.
      changed ||= loop.episode().length > 0 && !loop.outcome()
      loop.disturb(change)
    },
    status() {
      const episode = loop.episode()
      return {
        policy: name,
        task,
        seed,
        joints: loop.joints,
        rateHz: loop.rateHz,
        notes: loop.notes,
        decisions: episode.length,
        timeS: data.time,
        return: episode.reduce((sum, { reward }) => sum + reward, 0),
        holds: episode.at(-1)?.holds ?? false,
        changed,
        outcome: loop.outcome(),
      }
    },
    record: () => JSON.stringify(episodeDocument(task, seed, changed ? null : loop.outcome(), loop.episode())),
    close() {
      if (closed) return
      closed = true
      loop.close()
      void session.close()
    },
  }
}
