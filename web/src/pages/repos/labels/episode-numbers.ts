/** Episodes of one request as a person writes them: `3, 5-9`. Pure. */
import { readEpisodes } from '@hub/formats/episode-ranges'

/** What one request takes. */
const MOST = 100

/** The numbers in order, each once; or what is wrong with the text. */
export const episodeNumbers = (text: string): readonly number[] | { readonly fault: string } => readEpisodes(text, MOST)
