/** Relations between objects: contacts, flexes, tendons, equalities; and elements without effect on the dynamics. */
import { SKIN } from './asset-rows.ts'
import { ELASTICITY, FLEX_CONTACT } from './body-rows.ts'
import { row } from './row.ts'
import { numericSize, someText, tupleObject } from './section-checks.ts'

const pairDefaults = `condim=int friction=real[1-5] solref=real[1-2] solreffriction=real[1-2] solimp=real[1-5] gap=real margin=real adhesion=real`

export const CONTACT = row('', {
  pair: row(`name class geom1 geom2 ${pairDefaults}`),
  exclude: row(`name body1! body2!`),
})

export const PAIR_DEFAULT = row(pairDefaults)

export const DEFORMABLE = row('', {
  flex: row(
    `name group=int dim=int radius=real material rgba=float[4] flatskin=bool body! vertex=real[] element=int[]! texcoord=float[] elemtexcoord=int[] node
    nodecoord=real[] cellcount=int[3] dof=<flexDof>`,
    { 'contact?': FLEX_CONTACT, 'edge?': row(`stiffness=real damping=real`), 'elasticity?': ELASTICITY },
  ),
  skin: SKIN,
})

const tendonDefaults = `group=int limited=<falseTrueAuto> range=real[2] solreflimit=real[1-2] solimplimit=real[1-5] solreffriction=real[1-2]
  solimpfriction=real[1-5] frictionloss=real springlength=real[1-2] margin=real stiffness=real[1-3] damping=real[1-3] user=real[]`
const spatialDefaults = `${tendonDefaults} width=real material rgba=float[4]`
const tendon = `name class actuatorfrclimited=<falseTrueAuto> actuatorfrcrange=real[2] armature=real`

export const TENDON_DEFAULT = row(spatialDefaults)

export const TENDON = row('', {
  spatial: row(`${tendon} ${spatialDefaults}`, {
    site: row(`site!`),
    geom: row(`geom! sidesite`),
    pulley: row(`divisor=real!`),
  }),
  fixed: row(`${tendon} ${tendonDefaults}`, { joint: row(`joint! coef=real!`) }),
})

const equalityDefaults = `active=bool solref=real[1-2] solimp=real[1-5]`
const equality = `name class ${equalityDefaults}`

export const EQUALITY_DEFAULT = row(equalityDefaults)

export const EQUALITY = row('', {
  connect: row(`${equality} body1 body2 anchor=real[3] site1 site2`, {}, [
    'exclusive site1+site2 body1+body2+anchor',
    'oneOf site1+site2 body1+anchor',
    'together site1 site2',
  ]),
  weld: row(`${equality} body1 body2 relpose=real[7] anchor=real[3] site1 site2 torquescale=real`, {}, [
    'exclusive site1+site2 body1+body2+anchor+relpose',
    'oneOf site1+site2 body1',
    'together site1 site2',
  ]),
  joint: row(`${equality} joint1! joint2 polycoef=real[1-5]`),
  tendon: row(`${equality} tendon1! tendon2 polycoef=real[1-5]`),
  flex: row(`${equality} flex!`),
  flexvert: row(`${equality} flex!`),
  flexstrain: row(`${equality} flex! cell=real[3]`),
})

export const CUSTOM = row('', {
  numeric: row(`name! size=whole data=real[]`, {}, [], [numericSize]),
  text: row(`name! data!`, {}, [], [someText]),
  tuple: row(`name!`, { element: row(`objtype! objname! prm=real`, {}, [], [tupleObject]) }),
})

export const KEYFRAME = row('', {
  key: row(`name time=real qpos=real[] qvel=real[] act=real[] mpos=real[] mquat=real[] ctrl=real[]`),
})
