/** What this hub does not have, said so that a client's exception names it. */
import { badRequest, Refusal } from '../engine/refusal.ts'
import { type HfRoute, type Method, ofEachType, places } from '../engine/route.ts'

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE']

/** Every method of a path answers the same error. */
const refused = (operation: string, path: string, refusal: () => Refusal): HfRoute[] =>
  methods.map((method) => ({
    operation,
    method,
    path,
    documents: [],
    answer() {
      throw refusal()
    },
  }))

const noSpaces = () =>
  new Refusal(404, 'RepoNotFound', 'Spaces do not exist on this hub: it has data sets, models and robots.')

const noXet = () =>
  badRequest('This hub does not offer Xet: set HF_HUB_DISABLE_XET=1, and files are sent by LFS.', 'XetNotOffered')

const notHere = () => new Refusal(404, 'NotOffered', 'This hub does not have this part of the API of Hugging Face.')

export const routes: readonly HfRoute[] = [
  ...refused('hfSpaces', '/api/spaces', noSpaces),
  ...refused('hfSpaces', '/api/spaces/*', noSpaces),
  ...refused('hfSpaces', '/spaces/:owner/:name/resolve/:revision/*', noSpaces),
  ...ofEachType((type) => [
    ...refused('hfXet', `${places[type].api}/:owner/:name/xet-write-token/:revision`, noXet),
    ...refused('hfXet', `${places[type].api}/:owner/:name/xet-read-token/:revision`, noXet),
  ]).flat(),
  ...refused('hfNotHere', '/api/*', notHere),
]
