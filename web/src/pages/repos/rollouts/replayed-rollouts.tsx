/** A seed of one result, or of two beside each other, run again in 3D on one time line. */
import '../../../viewer/viewer.css'
import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { useShownTheme } from '../../../app/use-theme.ts'
import { type RobotStage, robotStage } from '../../../episodes/replay/robot-stage.ts'
import { bytes, rounded } from '../../../ui/format.ts'
import type { DriveState } from '../../../viewer/drive/drive-protocol.ts'
import { inStep } from '../../../viewer/drive/in-step.ts'
import type { ViewerState } from '../../../viewer/viewer-state.ts'
import { type ReplayedResult, replayedResult } from './replayed-result.ts'
import { useLoads } from './use-loads.tsx'

interface Props {
  /** The robot. */
  readonly owner: string
  readonly repo: string
  /** Of one result or two, as `resultName` has them. */
  readonly names: readonly string[]
  readonly seed: number
}

export function ReplayedRollouts({ owner, repo, names, seed }: Props) {
  const client = useClient()
  const { found: results, waiting } = useLoads(
    { names, noun: 'Policy', load: (name, tell) => replayedResult(client, { owner, repo }, name, tell) },
    [client, owner, repo],
  )
  return (
    <section className="stack" aria-label="Rollouts in 3D">
      <p>
        <Link to="repoRollouts" params={{ owner, repo }}>
          All boards
        </Link>
      </p>
      {waiting}
      {results && <Sides key={`${names.join(' ')} ${seed}`} results={results} seed={seed} />}
    </section>
  )
}

interface SidesProps {
  readonly results: readonly ReplayedResult[]
  readonly seed: number
}

function Sides({ results, seed }: SidesProps) {
  const { places, drives, isPlaying, play, run } = useSides({ results, seed })
  const isOver = drives.length > 0 && drives.every(isEnded)
  return (
    <>
      <div className="row">
        <h2>
          {results[0]?.task}, seed {seed}
        </h2>
        <button type="button" className="button" onClick={() => (isOver ? run() : play(!isPlaying))}>
          {isOver ? 'Play again' : isPlaying ? 'Pause' : 'Go on'}
        </button>
        <button type="button" className="button" onClick={run}>
          From the start
        </button>
      </div>
      <div className="sides">
        {results.map(({ label }, at) => (
          // The results of an address do not change their places.
          <div key={`${at} ${label}`} className="panel stack">
            <h3>{label}</h3>
            <div
              ref={(node) => {
                places.current[at] = node
              }}
            />
            <div role="status">
              {saidOf(drives[at] ?? null).map((line) => (
                <p key={line}>{line}</p>
              ))}
            </div>
            {/* What changes ten times a second is not read aloud. */}
            <p>{numberOf(drives[at] ?? null)}</p>
          </div>
        ))}
      </div>
    </>
  )
}

/** The results' robots on their places. They start together once each robot is shown, and wait for each other. */
function useSides({ results, seed }: SidesProps) {
  const theme = useShownTheme()
  const first = useRef(theme)
  const places = useRef<(HTMLDivElement | null)[]>([])
  const stages = useRef<RobotStage[]>([])
  const wanted = useRef(true)
  const [isPlaying, setPlaying] = useState(true)
  const [drives, setDrives] = useState<readonly (DriveState | null)[]>([])
  const drive = () => {
    for (const [at, { request }] of results.entries()) stages.current[at]?.viewer.drive({ ...request, seed })
  }
  const run = () => {
    play(true)
    drive()
  }
  const keepInStep = () => {
    const states = stages.current.map(({ viewer }) => viewer.state())
    const all = states.map(driveOf)
    const goes = inStep(all)
    for (const [at, state] of states.entries()) {
      const isOn = wanted.current && goes[at] === true
      if (state.phase === 'ready' && state.drive?.phase === 'driving' && state.playing !== isOn)
        stages.current[at]?.viewer.play(isOn)
    }
    setDrives((before) => (before.length === all.length && before.every((one, at) => one === all[at]) ? before : all))
  }
  const play = (next: boolean) => {
    wanted.current = next
    setPlaying(next)
    keepInStep()
  }
  useEffect(() => {
    let started = false
    const onChange = () => {
      keepInStep()
      // A robot that cannot be shown keeps no other one back.
      if (started || stages.current.some(({ viewer }) => viewer.state().phase === 'loading')) return
      started = true
      // Who has paused meanwhile finds them at their start.
      drive()
    }
    stages.current = results.map(({ robot, entry }) =>
      robotStage({ repo: robot, entry, theme: first.current, onReady: () => undefined }),
    )
    for (const [at, stage] of stages.current.entries()) {
      places.current[at]?.append(stage.node)
      stage.viewer.subscribe(onChange)
    }
    return () => {
      for (const stage of stages.current) stage.close()
      stages.current = []
    }
  }, [])
  useEffect(() => {
    for (const { viewer } of stages.current) viewer.light(theme)
  }, [theme])
  return { places, drives, isPlaying, play, run }
}

/** Of a robot that is not shown; one object, since equal states are told by identity. */
const notShown: DriveState = { phase: 'refused', policy: '', why: ['The robot is not shown; the reason is above.'] }

function driveOf(state: ViewerState): DriveState | null {
  if (state.phase === 'failed') return notShown
  return state.phase === 'ready' ? state.drive : null
}

const endings = {
  reached: 'It succeeds.',
  missed: 'It ran out of time without success.',
  failed: 'It fails.',
  diverged: 'The motion diverged: a number is no longer finite.',
} as const

/** It goes on no more: its episode has ended, or it could not begin. */
const isEnded = (drive: DriveState | null): boolean =>
  drive?.phase === 'refused' || (drive?.phase === 'driving' && drive.status.outcome !== null)

function saidOf(drive: DriveState | null): readonly string[] {
  if (drive === null) return ['The robot is being loaded.']
  if (drive.phase === 'loading') return ['The policy is being loaded.']
  if (drive.phase === 'refused') return drive.why
  const { outcome, notes } = drive.status
  return [...(outcome ? [endings[outcome.ending], `Fingerprint ${outcome.fingerprint}`] : []), ...notes]
}

function numberOf(drive: DriveState | null): string {
  if (drive?.phase === 'driving') return `${rounded(drive.status.timeS)} s, return ${rounded(drive.status.return)}`
  if (drive?.phase !== 'loading' || drive.runtime === null) return ''
  const [done, total] = drive.runtime
  return `ONNX Runtime: ${bytes(done)} of ${bytes(total)}`
}
