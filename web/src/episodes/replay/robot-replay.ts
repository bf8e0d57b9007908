/** Episodes on a robot: the robot that was chosen, the map of its joints, and the pictures of one or two episodes. */
import type { Viewpoint } from '@hub/robot-view/scene/orbit-view'
import type { ThemeName } from '@hub/robot-view/scene/theme'
import type { KeptMap } from '../../viewer/kept-map.ts'
import { modelChoices } from '../../viewer/model-choice.ts'
import { turnedFrom } from '../../viewer/viewpoint-text.ts'
import { type EpisodeAddress, isRepoName } from '../episode-address.ts'
import { jointMapView } from './joint-map-view.ts'
import { type ReplayLane, replayLane } from './replay-lane.ts'
import { type RobotBar, type RobotBarOptions, robotBar } from './robot-bar.ts'
import type { RobotRepo, StageOptions } from './robot-stage.ts'

/** A robot, and the kept maps from the data set to it, newest first. */
interface ReplayRobot extends RobotRepo {
  readonly maps: readonly KeptMap[]
  /** Address of their page. */
  readonly mapPage: string
}

/** Robots of the hub, as a person sees them. */
export interface ReplayRobots {
  names(): Promise<readonly string[]>
  /** Rejects with an `Error` in words where there is no such robot. */
  open(name: string): Promise<ReplayRobot>
}

/** What of an address is about the robot. */
type RobotPart = Pick<EpisodeAddress, 'robot' | 'model' | 'map' | 'kept' | 'ghost' | 'differ' | 'view'>

export interface RobotReplay {
  /** Choices of robot and model. */
  readonly bar: HTMLElement
  /** The joints, their values and their map. */
  readonly panel: HTMLElement
  /** The first episode, and the one beside it. */
  readonly lanes: readonly [ReplayLane, ReplayLane]
  /** How many of the lanes show an episode. */
  use(count: 1 | 2): void
  /** Episodes or frames have changed. */
  refresh(): void
  part(): RobotPart
  close(): void
}

export interface RobotReplayOptions {
  readonly robots: ReplayRobots
  readonly theme: ThemeName
  readonly part: RobotPart
  /** The robot that the dataset names. */
  readonly named: string | null
  /** Names of the recorded numbers of a frame. */
  readonly labels: readonly string[]
  /** A person chose something. */
  readonly onChange: () => void
}

/** The robot of a dataset's episodes. */
export function robotReplay({ robots, theme, named, labels, onChange, ...options }: RobotReplayOptions): RobotReplay {
  let part = options.part
  const change = (next: Partial<RobotPart>) => {
    part = { ...part, ...next }
    onChange()
  }
  const stages = robotStages({
    theme,
    view: () => part.view,
    onReady(place, model, start) {
      if (place === 0) joints.ready(model, start)
      else joints.apply()
    },
    onFault: (error) => bar.fail(String(error)),
  })
  const joints = jointMapView({
    labels,
    lanes: () => stages.lanes,
    maps: () => stages.shown()?.repo.maps ?? [],
    reviewPage: () => stages.shown()?.repo.mapPage ?? '',
    choice: () => part,
    onMap: change,
  })
  const closeAll = () => {
    stages.close()
    joints.forget()
  }
  const openRobot = (name: string) => {
    closeAll()
    bar.models([], '')
    opener.open(name, (repo) => {
      const paths = repo.files.map(([path]) => path)
      const entries = modelChoices(paths, repo.card?.mjcfPath ?? null)
      const entry = entries.find((one) => one === part.model) ?? entries[0]
      if (entry === undefined) return bar.fail(`${name} has no MJCF or URDF file yet.`)
      bar.models(entries, entry)
      stages.show({ repo, entry })
    })
  }
  const hear: Pick<RobotBarOptions, 'onRobot' | 'onModel' | 'onChoice'> = {
    onRobot(name) {
      change({ robot: isRepoName(name) ? name : null, model: null, map: null, kept: null, view: null })
      openRobot(name)
    },
    onModel(entry) {
      const shown = stages.shown()
      change({ model: entry, map: null, view: null })
      closeAll()
      stages.show(shown && { ...shown, entry })
    },
    onChoice(next) {
      change(next)
      joints.apply()
    },
  }
  const first = part.robot ?? named ?? ''
  const bar = robotBar({ ...part, robot: first, suggest: robots.names, ...hear })
  const opener = robotOpener(robots, bar)
  openRobot(first)
  return {
    bar: bar.node,
    panel: joints.node,
    lanes: stages.lanes,
    refresh: joints.refresh,
    use: stages.use,
    part: () => ({ ...part, view: stages.viewNow() }),
    close() {
      opener.stop()
      closeAll()
    },
  }
}

/** A robot, and the model file of it that is shown. */
interface Shown {
  readonly repo: ReplayRobot
  readonly entry: string
}

interface StagesOptions {
  readonly theme: ThemeName
  /** Where a robot that opens is seen from; null for where its model begins. */
  readonly view: () => Viewpoint | null
  readonly onReady: (place: 0 | 1, ...opened: Parameters<StageOptions['onReady']>) => void
  readonly onFault: (error: unknown) => void
}

/** Two lanes, and the robot that is open in those that are used. */
function robotStages({ theme, view, onReady, onFault }: StagesOptions) {
  let shown: Shown | null = null
  let used: 1 | 2 = 1
  let home: Viewpoint | null = null
  const laneOf = (place: 0 | 1): ReplayLane =>
    replayLane((model, start) => {
      const viewer = lanes[place].stage()?.viewer
      if (place === 0) home = viewer?.viewpoint() ?? null
      const from = view()
      if (from) viewer?.viewFrom(from)
      onReady(place, model, start)
    })
  const lanes: readonly [ReplayLane, ReplayLane] = [laneOf(0), laneOf(1)]
  const openStages = () => {
    for (const lane of lanes.slice(used)) lane.closeRobot()
    for (const lane of lanes.slice(0, used))
      if (shown && !lane.isOpen()) lane.open(shown.repo, shown.entry, theme).catch(onFault)
  }
  return {
    lanes,
    shown: () => shown,
    /** Opens a robot where none is open. */
    show(next: Shown | null) {
      shown = next
      openStages()
    },
    use(count: 1 | 2) {
      used = count
      openStages()
    },
    /** Where the view is, if a person has turned it; what was asked for until there is one. */
    viewNow() {
      const now = lanes[0].stage()?.viewer.viewpoint()
      return home && now ? turnedFrom(home, now) : view()
    },
    close() {
      shown = null
      for (const lane of lanes) lane.closeRobot()
    },
  }
}

/** Of several robots that were asked for in a row, the last is opened. */
function robotOpener(robots: ReplayRobots, { tell, fail }: Pick<RobotBar, 'tell' | 'fail'>) {
  let asked = 0
  return {
    open(name: string, use: (repo: ReplayRobot) => void) {
      asked += 1
      const own = asked
      if (name === '') return tell('')
      if (!isRepoName(name)) return fail('Write the robot as owner/robot: a repo of this hub.')
      tell(`Opening ${name}…`)
      robots.open(name).then(
        (repo) => {
          if (own !== asked) return
          tell('')
          use(repo)
        },
        (error: unknown) => {
          if (own === asked) fail(error instanceof Error ? error.message : String(error))
        },
      )
    },
    stop() {
      asked += 1
    },
  }
}
