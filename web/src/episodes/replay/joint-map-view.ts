/** The map of a replay: which recorded number moves which joint, as a person sees and changes it. */

import type { MappedJoint } from '@hub/embodiment/joint-map'
import { BY_NAME, type KeptMap, keptInUse } from '../../viewer/kept-map.ts'
import { button } from '../../viewer/panels/choices.ts'
import { element } from '../../viewer/panels/element.ts'
import type { ShownModel } from '../../viewer/viewer-state.ts'
import type { Curves } from '../episode-curves.ts'
import { type JointPanel, jointPanel } from './joint-panel.ts'
import { keptPart } from './kept-part.ts'
import { mapByName, mapOf } from './map-by-name.ts'
import { mapChooser, mapNote } from './map-note.ts'
import { doubtsOf } from './poses.ts'
import type { Mapping, ReplayLane } from './replay-lane.ts'
import { targetsOf } from './robot-targets.ts'
import { DEGREES } from './units.ts'

/** What a person chose about the map. */
interface MapChoice {
  /** Of a map that was made here; null for a kept one, or joints by name. */
  readonly map: readonly MappedJoint[] | null
  /** Of a kept map, as `keptInUse` takes it. */
  readonly kept: number | null
  readonly ghost: boolean
  readonly differ: number
}

export interface JointMapView {
  readonly node: HTMLElement
  /** A robot's model is open. */
  ready(model: ShownModel, start: readonly number[]): void
  /** There is no robot. */
  forget(): void
  /** Poses all lanes by the map; a lane that was opened later too. */
  apply(): void
  /** Shows the values of the frame. */
  refresh(): void
}

interface JointMapOptions {
  /** Names of the recorded numbers of a frame. */
  readonly labels: readonly string[]
  readonly lanes: () => readonly ReplayLane[]
  /** Kept maps to the robot, newest first. */
  readonly maps: () => readonly KeptMap[]
  /** Address of the page of these maps. */
  readonly reviewPage: () => string
  readonly choice: () => MapChoice
  /** A person changed the map, or chose another one. */
  readonly onMap: (part: Partial<Pick<MapChoice, 'map' | 'kept'>>) => void
}

/** A model that is open; `start` is qpos of its own pose. */
interface Opened {
  readonly model: ShownModel
  readonly start: readonly number[]
}

export function jointMapView(options: JointMapOptions): JointMapView {
  const { labels, lanes, maps, choice, onMap } = options
  const node = element('div', { class: 'joint-panel', hidden: true })
  let mapping: Mapping | null = null
  let missing: readonly string[] = []
  let own: Opened | null = null
  let table: JointPanel | null = null
  let drawnOf: Curves | null = null
  const curves = () => lanes()[0]?.curves() ?? null
  const change = (pairs: readonly MappedJoint[]) => {
    if (mapping === null) return
    onMap({ map: pairs })
    mapping = { ...mapping, map: mapOf(pairs, labels, mapping.targets, mapping.start) }
    view.apply()
  }
  const draw = () => {
    drawnOf = curves()
    node.hidden = mapping === null
    if (mapping === null) return
    const { map, targets } = mapping
    table = jointPanel({ targets, labels, pairs: map.joints, differ: choice().differ, onChange: change })
    const doubts = drawnOf ? doubtsOf(drawnOf, map, targets) : []
    const isOpen = node.querySelector('details')?.open ?? (map.joints.length === 0 || doubts.length > 0)
    const toDegrees = button('Take angles as degrees', () => change(inDegrees(map.joints, mapping)))
    const focused = labelIn(node)
    const kept = keptInUse(maps(), choice().kept)
    const isOwn = choice().map !== null
    const choose = (version: number) => {
      onMap({ map: null, kept: version })
      if (own) view.ready(own.model, own.start)
    }
    node.replaceChildren(
      ...mapChooser({
        maps: maps(),
        reviewPage: options.reviewPage(),
        used: isOwn ? null : (kept?.version ?? BY_NAME),
        choose,
      }),
      ...mapNote({ map, targets, maps: maps(), kept, isOwn, missing, doubts, toDegrees }),
      element('details', { open: isOpen }, element('summary', {}, `Joints (${targets.length})`), table.node),
    )
    focusOn(node, focused)
  }
  const view: JointMapView = {
    node,
    ready(model, start) {
      own = { model, start }
      const first = chosenMapping({ own, labels, maps: maps(), choice: choice() })
      mapping = first.mapping
      missing = first.missing
      view.apply()
    },
    forget() {
      mapping = null
      own = null
      draw()
    },
    apply() {
      for (const lane of lanes()) if (lane.stage()) lane.mapped(mapping, choice().ghost)
      draw()
      view.refresh()
    },
    refresh() {
      if (curves() !== drawnOf) draw()
      const values = lanes()[0]?.values()
      table?.show(values?.state ?? null, values?.action ?? null)
    },
  }
  return view
}

interface Chosen extends Pick<JointMapOptions, 'labels'> {
  readonly own: Opened
  readonly maps: readonly KeptMap[]
  readonly choice: MapChoice
}

/**
 * How recorded numbers move the joints of a model: by the map that was made here, else by the kept one in use, else by
 * name. `missing`: what a kept map names and is not there.
 */
function chosenMapping({ own, labels, maps, choice }: Chosen): { mapping: Mapping; missing: readonly string[] } {
  const targets = targetsOf(own.model.opened.facts)
  const kept = keptInUse(maps, choice.kept)
  const part = kept && keptPart(kept.map, labels, targets, own.start)
  const said = choice.map?.filter(({ to }) => targets.some(({ name }) => name === to))
  const start = part?.start ?? own.start
  const pairs = said ?? part?.joints
  const map = pairs ? mapOf(pairs, labels, targets, start) : mapByName(labels, targets, start)
  return { mapping: { map, targets, start }, missing: said ? [] : (part?.missing ?? []) }
}

/** The label of what has the focus: a table that is drawn again would lose it. */
function labelIn(node: HTMLElement): string | null {
  const { activeElement } = document
  return node.contains(activeElement) ? (activeElement?.getAttribute('aria-label') ?? null) : null
}

function focusOn(node: HTMLElement, label: string | null): void {
  if (label === null) return
  const all = [...node.querySelectorAll<HTMLElement>('[aria-label]')]
  all.find((one) => one.getAttribute('aria-label') === label)?.focus()
}

/** All angles of a robot, as if they were recorded in degrees. */
function inDegrees(pairs: readonly MappedJoint[], mapping: Mapping | null): MappedJoint[] {
  const angles = new Set(mapping?.targets.flatMap(({ name, unit }) => (unit === 'rad' ? [name] : [])))
  return pairs.map((pair) => (angles.has(pair.to) ? { ...pair, scale: DEGREES } : pair))
}
