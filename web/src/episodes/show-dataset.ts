/** A dataset that is open: which episodes are shown, on which robot, and the address that says so. */
import { button } from '../viewer/panels/choices.ts'
import { element } from '../viewer/panels/element.ts'
import { shareBar } from '../viewer/panels/share-bar.ts'
import { addressKeeper } from './address-keeper.ts'
import type { Dataset, LoadedEpisode } from './dataset.ts'
import { type EpisodeAddress, readAddress, writeAddress } from './episode-address.ts'
import { episodeBar } from './episode-bar.ts'
import { episodeIndex } from './episode-index.ts'
import type { ShownEpisode } from './episode-lane.ts'
import type { EpisodeOptions, MountedEpisodes } from './episode-options.ts'
import { type EpisodeView, episodeView } from './episode-view.ts'
import { filmOf, MOST_FILM_S } from './film.ts'
import { ACTION, STATE } from './replay/poses.ts'
import { type RobotReplay, robotReplay } from './replay/robot-replay.ts'

/** Why something is not shown, and a way to ask for it again: most of what fails is a network. */
export const problemNote = (error: unknown, again: () => void) =>
  element(
    'div',
    { class: 'viewer-problem', role: 'alert' },
    element('p', {}, error instanceof Error ? error.message : String(error)),
    button('Try again', again),
  )

/** Fills `root`. */
export function showDataset(
  root: HTMLElement,
  dataset: Dataset,
  { robots, theme, search, page, isEmbedded, onAddress }: Omit<EpisodeOptions, 'files'>,
): MountedEpisodes {
  const { episodes, info } = dataset
  let address = readAddress(search)
  let written = search
  const place = viewPlace(() => show())
  const placeOf = (episode: number) => episodes.findIndex(({ index }) => index === episode)
  const shown = () => ({ ...address, ...replay.part(), frame: place.view()?.frame() ?? address.frame })
  const keep = addressKeeper(() => {
    address = shown()
    written = writeAddress(address)
    onAddress(written)
  })
  const about = { robots, theme, named: info.robot, labels: labelsOf(info) }
  const replay = robotReplay({ ...about, part: address, onChange: keep.soon })
  const change = (part: Partial<EpisodeAddress>) => {
    address = { ...address, ...part }
    keep.soon()
  }
  const show = () => {
    // Until the episode is there the address keeps the frame of the one before.
    const { frame } = address
    const wanted = [address.episode, ...(address.beside === null ? [] : [address.beside])]
    bar.show(address)
    list.show(placeOf(address.episode))
    bar.tell(`Loading episode ${wanted.join(' and ')}…`)
    const loading = Promise.all(wanted.map((episode) => loadOf(dataset, episode)))
    loading.catch(() => bar.tell(''))
    place.load(loading, (loaded) => {
      replay.use(loaded.length > 1 ? 2 : 1)
      const lanes = loaded.map((one, at) => shownOn(replay, one, wanted, at))
      bar.tell(toldOf(dataset, address.episode, loaded[0]))
      return episodeView(lanes, { ...address, frame, fps: info.fps, onPace: change, onRest: keep.soon })
    })
  }
  const choose = (part: Partial<EpisodeAddress>) => {
    change({ frame: 0, ...part })
    show()
  }
  const bar = episodeBar(dataset, {
    onEpisode: (episode) => choose({ episode }),
    onBeside: (beside) => choose({ beside }),
  })
  const list = episodeIndex(dataset, (episode) => choose({ episode }))
  root.classList.toggle('episodes-embedded', isEmbedded)
  root.replaceChildren(
    ...bar.nodes,
    replay.bar,
    shareOf(page, shown, { replay, view: place.view }),
    element('div', { class: 'episode-main' }, place.node, list.node),
  )
  // A turn of the view.
  for (const name of ['pointerup', 'wheel', 'keyup'] as const) root.addEventListener(name, keep.soon, { passive: true })
  // A dataset may begin with another one than 0.
  if (address.episode === 0) address = { ...address, episode: episodes[0]?.index ?? 0 }
  if (episodes.length === 0) bar.tell('The dataset has no episodes yet.')
  else show()
  return {
    go(next) {
      if (next === written) return
      written = next
      const { episode, frame, beside } = readAddress(next)
      address = { ...address, episode, frame, beside }
      show()
    },
    close() {
      keep.stop()
      place.close()
      replay.close()
    },
  }
}

/** Where one view is at a time, or why there is none: of episodes that were asked for in a row, the last. `again` asks. */
function viewPlace(again: () => void) {
  const node = element('div', { class: 'episode-place' })
  let view: EpisodeView | null = null
  let asked = 0
  const put = (next: EpisodeView | null, shown: HTMLElement) => {
    view?.close()
    view = next
    node.replaceChildren(shown)
  }
  return {
    node,
    view: () => view,
    load<Loaded>(loading: Promise<Loaded>, viewOf: (loaded: Loaded) => EpisodeView) {
      asked += 1
      const own = asked
      loading
        .then((loaded) => {
          if (own !== asked) return
          const next = viewOf(loaded)
          put(next, next.node)
        })
        .catch((error: unknown) => {
          if (own === asked) put(null, problemNote(error, again))
        })
    },
    close() {
      asked += 1
      view?.close()
    },
  }
}

/** What a person takes away: `shown` says what is seen now. */
const shareOf = (
  page: EpisodeOptions['page'],
  shown: () => EpisodeAddress,
  { replay, view }: { readonly replay: RobotReplay; readonly view: () => EpisodeView | null },
): HTMLElement =>
  shareBar({
    link: () => new URL(`?${writeAddress(shown())}`, page.address),
    title: () => `Episode ${shown().episode} of ${page.name}, frame ${shown().frame}`,
    still: async () => (await replay.lanes[0].stage()?.viewer.still()) ?? null,
    async film() {
      const [canvas, episode] = [replay.lanes[0].stage()?.canvas, view()]
      return canvas && episode ? filmOf(canvas, () => episode.playThrough(MOST_FILM_S)) : null
    },
  })

/** Names of the recorded numbers of a frame: those of states, else of actions. */
function labelsOf({ curves }: Dataset['info']): readonly string[] {
  const of = (feature: string) => curves.find(({ name }) => name === feature)?.labels
  return of(STATE) ?? of(ACTION) ?? []
}

/** An episode on the robot, the joints below the first one. */
function shownOn(replay: RobotReplay, loaded: LoadedEpisode, wanted: readonly number[], at: number): ShownEpisode {
  const lane = replay.lanes[at === 0 ? 0 : 1]
  lane.load(loaded.curves)
  return {
    loaded,
    title: wanted.length > 1 ? `Episode ${wanted[at]}` : null,
    robot: at === 0 ? [lane.node, replay.panel] : [lane.node],
    onFrame(frame) {
      lane.at(frame)
      replay.refresh()
    },
  }
}

async function loadOf(dataset: Dataset, index: number): Promise<LoadedEpisode> {
  const episode = dataset.episodes.find((one) => one.index === index)
  if (!episode) throw new Error(`The dataset has no episode ${index}.`)
  return dataset.load(episode)
}

function toldOf({ episodes, info, bytes }: Dataset, index: number, loaded: LoadedEpisode | undefined): string {
  const tasks = episodes.find((one) => one.index === index)?.tasks ?? []
  const task = tasks.length === 0 ? '' : `${tasks.join('; ')} · `
  const rate = Number(info.fps.toPrecision(4))
  const megabytes = (bytes() / 1e6).toFixed(2)
  return `${task}${loaded?.curves.times.length ?? 0} frames at ${rate} a second · ${megabytes} MB read`
}
