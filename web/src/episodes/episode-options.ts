/** What a page gives to the viewer of episodes, and what it can ask of it. */
import type { ThemeName } from '@hub/robot-view/scene/theme'
import type { DatasetFiles } from './dataset.ts'
import type { ReplayRobots } from './replay/robot-replay.ts'

export interface MountedEpisodes {
  /** The address of the page has changed, by a link or by "back". */
  go(search: string): void
  close(): void
}

export interface EpisodeOptions {
  readonly files: DatasetFiles
  readonly robots: ReplayRobots
  /** The page of these episodes: its repo, `owner/slug`, and its address without a query. */
  readonly page: { readonly name: string; readonly address: string }
  /** In a README: only what moves. */
  readonly isEmbedded: boolean
  readonly theme: ThemeName
  /** The query of the page's address. */
  readonly search: string
  /** Keeps what is looked at in the address of the page. */
  onAddress(search: string): void
}
