/** One websocket of one session: metadata first, then one answer for each observation, in order. */
import type { RawData, WebSocket } from 'ws'
import { FRAMES_PER_SECOND, MAX_UNREAD_BYTES, MAX_WAITING_FRAMES, PING_MS } from '../limits.ts'
import type { PolicyModel } from '../model/open-model.ts'
import { FrameFault } from '../wire/frame-fault.ts'
import { readJsonFrame, writeJsonFrame } from '../wire/json-frames.ts'
import { type MappedJoints, mappedJoints } from '../wire/mapped-joints.ts'
import { readMsgpackFrame, writeMsgpackFrame } from '../wire/msgpack-frames.ts'
import { observationOf, withoutBatch } from '../wire/observation.ts'

/** The codes of RFC 6455 that this server closes with. */
export const closeCodes = { goingAway: 1001, policy: 1008, internal: 1011 } as const
export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes]

export interface LinkOptions {
  /** Fingerprint of the map of joints that the session was approved for; null without one. */
  readonly jointMap: string | null
  /** An answer was sent, this long after its observation had arrived. */
  readonly served: (ms: number) => void
  /**
   * The socket is closed. `reason`: of this server where it closed it, else of the close frame (`closed` for a normal
   * one); null if the link was lost.
   */
  readonly ended: (reason: string | null) => void
}

export interface Link {
  /** The device is told why. A link that does not answer is cut after a second. */
  close(code: CloseCode, reason: string): void
}

interface Frame {
  readonly data: RawData
  readonly isBinary: boolean
  readonly atMs: number
}

const CLOSING_MS = 1_000

/**
 * Serves `socket` until it closes. A bad frame closes it with a reason; nothing that a device sends ends more than its
 * link.
 */
export function openLink(
  socket: WebSocket,
  model: PolicyModel,
  metadata: Readonly<Record<string, unknown>>,
  { jointMap, served, ended }: LinkOptions,
): Link {
  const waiting: Frame[] = []
  let isBusy = false
  let ownReason: string | null = null
  const isWithinRate = frameRate()

  const close = (code: CloseCode, reason: string) => {
    ownReason ??= reason
    waiting.length = 0
    // A paused socket would not see the answer of the other side.
    socket.resume()
    socket.close(code, reason.slice(0, 120))
    setTimeout(() => socket.terminate(), CLOSING_MS).unref()
  }
  /**
   * The text for a person first: the reason of a close frame has 123 bytes, and `openpi-client` raises a text frame as
   * an error.
   */
  const reject = (fault: FrameFault) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ error: fault.message }))
    close(closeCodes.policy, 'bad_frame')
  }
  const answer = answering({
    socket,
    model,
    jointMap,
    isOver: () => socket.readyState !== socket.OPEN || ownReason !== null,
    answered(ms) {
      served(ms)
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) close(closeCodes.policy, 'slow_reader')
    },
  })
  const work = async () => {
    if (isBusy) return
    isBusy = true
    // One observation at a time: until it is answered the others wait in the sender's socket.
    socket.pause()
    try {
      for (let frame = waiting.shift(); frame && ownReason === null; frame = waiting.shift()) await answer(frame)
    } catch (error) {
      if (error instanceof FrameFault) reject(error)
      else close(closeCodes.internal, 'model_failed')
    } finally {
      isBusy = false
      // Its pongs waited with the rest.
      pulse.felt()
      socket.resume()
    }
  }
  socket.on('message', (data, isBinary) => {
    if (ownReason !== null) return
    if (!isWithinRate()) return close(closeCodes.policy, 'too_fast')
    if (waiting.length >= MAX_WAITING_FRAMES) return close(closeCodes.policy, 'too_many_waiting')
    waiting.push({ data, isBinary, atMs: performance.now() })
    void work()
  })
  // A pong behind an observation is not read before its answer, which a slow model takes longer for than a ping may.
  const pulse = takePulse(socket, () => !isBusy)
  // Of a frame that is too large, or breaks the protocol: `ws` closes the link itself.
  socket.on('error', (error: Error & { code?: string }) => {
    ownReason ??= error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 'frame_too_large' : null
  })
  socket.once('close', (code) => {
    pulse.end()
    waiting.length = 0
    ended(ownReason ?? (code === 1000 ? 'closed' : null))
  })
  socket.send(socket.protocol === JSON_PROTOCOL ? JSON.stringify(metadata) : writeMsgpackFrame({}, metadata))
  return { close }
}

/** Pings the other side while `isDue`, and ends the link where a ping has no pong before the next one. */
function takePulse(socket: WebSocket, isDue: () => boolean) {
  let isAlive = true
  const felt = () => {
    isAlive = true
  }
  socket.on('pong', felt)
  const pings = setInterval(() => {
    if (!isDue()) return
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, PING_MS)
  return { felt, end: () => clearInterval(pings) }
}

/** Counts frames: false for one that comes too fast. A second without frames allows a second's worth at once. */
function frameRate(): () => boolean {
  let [tokens, filledMs] = [FRAMES_PER_SECOND, performance.now()]
  return () => {
    const nowMs = performance.now()
    tokens = Math.min(FRAMES_PER_SECOND, tokens + ((nowMs - filledMs) / 1000) * FRAMES_PER_SECOND)
    filledMs = nowMs
    tokens -= 1
    return tokens >= 0
  }
}

/** The frame in which a device says where its joints are has it. */
const MAP_MEMBER = 'joint_map'

/** Throws a `FrameFault` for a bad frame. */
function readFrame({ data, isBinary }: Frame): Readonly<Record<string, unknown>> {
  const bytes = data as Buffer
  return isBinary ? readMsgpackFrame(bytes) : readJsonFrame(bytes.toString('utf8'))
}

interface AnsweringOptions extends Pick<LinkOptions, 'jointMap'> {
  readonly socket: WebSocket
  readonly model: PolicyModel
  /** What was worked out meanwhile is not sent any more. */
  readonly isOver: () => boolean
  /** An answer was sent, this long after its observation had arrived. */
  readonly answered: (ms: number) => void
}

/** Answers the frames of a link in turn: the first may be its map of joints. Throws a `FrameFault` for a bad one. */
function answering({ socket, model, jointMap, isOver, answered }: AnsweringOptions) {
  let previousMs: number | null = null
  let joints: MappedJoints | null = null
  const isMap = (read: Readonly<Record<string, unknown>>) =>
    Object.hasOwn(read, MAP_MEMBER) && !model.inputs.some(({ name }) => name === MAP_MEMBER)
  return async (frame: Frame): Promise<void> => {
    const read = readFrame(frame)
    if (isMap(read)) {
      // In the middle of a motion the same numbers would mean something else.
      if (joints || previousMs !== null) throw new FrameFault('A map of joints comes once, before any observation.')
      joints = mappedJoints(read, model, jointMap)
      const said = { [MAP_MEMBER]: joints.fingerprint }
      if (socket.readyState === socket.OPEN)
        socket.send(frame.isBinary ? writeMsgpackFrame({}, said) : writeJsonFrame({}, said))
      return
    }
    const written = await inferred(model, read, { isBinary: frame.isBinary, joints, previousMs })
    if (isOver()) return
    socket.send(written())
    previousMs = performance.now() - frame.atMs
    answered(previousMs)
  }
}

interface Answering {
  readonly isBinary: boolean
  readonly joints: MappedJoints | null
  readonly previousMs: number | null
}

/** Runs the model on an observation, and has the frame of its answer. Throws a `FrameFault` for a bad one. */
async function inferred(
  model: PolicyModel,
  frame: Readonly<Record<string, unknown>>,
  { isBinary, joints, previousMs }: Answering,
) {
  const { feeds, isOne } = observationOf(model.inputs, frame, joints?.observe)
  const { outputs, ms } = await model.run(feeds)
  const answered = joints ? joints.act(outputs) : outputs
  return () => {
    const timing = { infer_ms: ms, ...(previousMs !== null && { prev_total_ms: previousMs }) }
    const others = { server_timing: timing }
    const tensors = isOne ? withoutBatch(answered) : answered
    return isBinary ? writeMsgpackFrame(tensors, others) : writeJsonFrame(tensors, others)
  }
}

/** A client that offers it gets its metadata as text; every other one, as `openpi-client`, as MessagePack. */
export const JSON_PROTOCOL = 'policy.json'
