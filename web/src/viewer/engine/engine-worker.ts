/** The worker that runs MuJoCo for one robot on a page. Ending it frees all of the engine's memory. */
import { compileModel, dropFile, putFile } from '@hub/robot-view/physics/compile'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import { SceneTooLarge } from '@hub/robot-view/physics/scene-meshes'
import type { ToDrive } from '../drive/drive-protocol.ts'
import { engineFailed, notDownloaded, refused, tooManyTriangles, ViewerProblem } from '../problems.ts'
import type { FromEngine, OpenRequest, Stage, ToEngine } from '../protocol.ts'
import { downloads } from './download.ts'
import { driverOf } from './driver.ts'
import { gatherFiles } from './gather-files.ts'
import { loadBoth } from './load-both.ts'
import { downloadedMujoco } from './mujoco-download.ts'
import { pictureDesk } from './picture-desk.ts'
import { openSession, type Session } from './session.ts'

const scope = self as unknown as {
  postMessage(message: FromEngine, transfer?: Transferable[]): void
  onmessage: ((event: MessageEvent<ToEngine>) => void) | null
}

const say = (message: FromEngine, transfer: Transferable[] = []) => scope.postMessage(message, transfer)

/** Addresses that were asked for and have not come. */
const asked = new Map<number, PromiseWithResolvers<readonly string[]>>()

let session: Session | null = null

const nothing = new Float32Array()
const desk = pictureDesk(
  () => session?.poses() ?? { bodies: nothing, cameras: nothing },
  ({ id, asked, bodies, cameras }) => say({ kind: 'see', id, asked, bodies, cameras }, [bodies.buffer, cameras.buffer]),
)
const driver = driverOf({
  driven: () => session && { world: session.world, cameras: session.opened.cameras },
  desk,
  say,
  moved: () => session && sayFrame(session),
  fail,
})

scope.onmessage = ({ data: message }) => {
  if (message.kind === 'open') void open(message)
  else if (message.kind === 'signed') asked.get(message.id)?.resolve(message.urls)
  else if (message.kind === 'unsigned')
    asked.get(message.id)?.reject(new ViewerProblem(notDownloaded('The files', message.why)))
  else if (isOfDrive(message)) driver.hear(message)
  else if (session) act(session, message)
}

const isOfDrive = (message: ToEngine): message is ToDrive =>
  ['drive', 'disturb', 'undrive', 'record', 'seen', 'unseen'].includes(message.kind)

type Act = Exclude<ToEngine, ToDrive | { kind: 'open' | 'signed' | 'unsigned' }>

function act(opened: Session, message: Act): void {
  try {
    if (message.kind === 'advance') {
      const end = performance.now() + message.budgetMs
      const isOver = () => performance.now() > end
      if (driver.advance(message.seconds, isOver, () => sayFrame(opened))) return
      opened.advance(message.seconds, isOver)
      sayFrame(opened)
      return
    }
    // A person who moves the robot by hand takes it from the policy; a control acts beside it.
    if (message.kind !== 'control') driver.end()
    if (message.kind === 'qpos') opened.setQpos(message.at, message.values)
    else if (message.kind === 'replay') opened.replay(message.qpos, message.ghost)
    else if (message.kind === 'control') opened.setControl(message.at, message.value)
    else if (message.kind === 'keyframe') opened.toKeyframe(message.at)
    else opened.step()
    // A control acts with the next step alone.
    if (message.kind !== 'control') sayFrame(opened)
  } catch (error) {
    fail(error)
  }
}

function sayFrame(opened: Session): void {
  const frame = opened.frame()
  const { qpos, ctrl, bodies, cameras, contacts, ghost } = frame
  const sent = [qpos, ctrl, bodies, cameras, contacts, ...(ghost ? [ghost] : [])]
  say(
    { kind: 'frame', frame },
    sent.map(({ buffer }) => buffer),
  )
}

async function open(request: OpenRequest): Promise<void> {
  try {
    const { engine, model, engineMs, filesMs } = await loadBoth({
      engine: (told) => openMujoco(() => undefined, downloadedMujoco(told)),
      model: (told) => gatherFiles(downloads(new Map(request.files), sign), request.entry, request.base, told),
      tell,
    })
    tell('compile', model.bytes, model.bytes)
    // The page shows this stage before the worker is busy with it.
    await new Promise((resolve) => setTimeout(resolve))
    const compiling = performance.now()
    for (const [path, data] of model.files) putFile(engine.files, path, data)
    const compiled = compileModel(engine, request.entry)
    if ('refused' in compiled) throw new ViewerProblem(refused(compiled.refused, model.reading.faults))
    for (const path of model.files.keys()) dropFile(engine.files, path)
    session = openSession(engine, compiled.model, request.pose)
    const compileMs = performance.now() - compiling
    const loaded = { files: model.files.size, bytes: model.bytes, engineMs, filesMs, compileMs }
    const { opened } = session
    const meshes = opened.scene.meshes.flatMap(({ positions, triangles }) => [positions.buffer, triangles.buffer])
    say({ kind: 'opened', model: { ...opened, loaded }, frame: session.frame() }, meshes)
  } catch (error) {
    fail(error)
  }
}

function tell(stage: Stage, doneBytes: number, totalBytes: number): void {
  say({ kind: 'progress', stage, doneBytes, totalBytes })
}

function fail(error: unknown): void {
  session = null
  if (error instanceof ViewerProblem) say({ kind: 'failed', problem: error.problem })
  else if (error instanceof SceneTooLarge) say({ kind: 'failed', problem: tooManyTriangles(error.message) })
  else say({ kind: 'failed', problem: engineFailed(error instanceof Error ? error.message : String(error)) })
}

let requests = 0

function sign(paths: readonly string[]): Promise<readonly string[]> {
  requests += 1
  const id = requests
  const answer = Promise.withResolvers<readonly string[]>()
  asked.set(id, answer)
  say({ kind: 'sign', id, paths })
  return answer.promise.finally(() => asked.delete(id))
}
