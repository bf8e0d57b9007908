/** Bodies and their content. */
import { PLUGIN } from './asset-rows.ts'
import { nonzeroQuat, oneOrientation, within } from './element-checks.ts'
import { type Row, row } from './row.ts'
import { curve, flexcompElasticity, flexcompOrigin } from './section-checks.ts'

const orientation = `quat=real[4] axisangle=real[4] xyaxes=real[6] zaxis=real[3] euler=real[3]`
/** Where a quaternion is validated; `composite` takes one of zeros. */
const rotation = [nonzeroQuat, oneOrientation]
const contact = `solmix=real solref=real[1-2] solimp=real[1-5] margin=real gap=real`
const frictionAndLimit = `solreflimit=real[1-2] solimplimit=real[1-5] solreffriction=real[1-2] solimpfriction=real[1-5]`

const INERTIAL = row(
  `pos=real[3]! mass=real! diaginertia=real[3] fullinertia=real[6] ${orientation}`,
  {},
  ['exclusive fullinertia quat axisangle xyaxes zaxis euler'],
  rotation,
)

const jointDefaults = `type=<jointType> group=int pos=real[3] axis=real[3] springdamper=real[2]
  limited=<falseTrueAuto> actuatorfrclimited=<falseTrueAuto>
  ${frictionAndLimit} stiffness=real[1-3] range=real[2] actuatorfrcrange=real[2] actuatorgravcomp=bool margin=real
  ref=real springref=real armature=real
  damping=real[1-3] frictionloss=real user=real[]`

const geomDefaults = `type=<geomType> contype=int conaffinity=int condim=int group=int priority=int size=real[1-3]
  material friction=real[1-3] mass=real
  density=real shellinertia=bool ${contact} surfacevel=real[1-6] adhesion=real fromto=real[6] pos=real[3]
  ${orientation} hfield mesh fitscale=real
  rgba=float[4] fluidshape=<fluidShape> fluidcoef=real[1-5] user=real[]`

const siteDefaults = `type=<geomType> group=int pos=real[3] ${orientation} material mesh size=real[1-3] fromto=real[6]
  rgba=float[4] user=real[]`

const cameraDefaults = `projection=<projection> fovy=real ipd=real resolution=int[2] output=<cameraOutput>[]
  pos=real[3] ${orientation} mode=<cameraMode>
  focal=float[2] focalpixel=float[2] principal=float[2] principalpixel=float[2] sensorsize=float[2] user=real[]`

const lightDefaults = `directional=bool type=<lightType> castshadow=bool active=bool pos=real[3] dir=real[3]
  bulbradius=float intensity=float range=float
  attenuation=float[3] cutoff=float softness=float exponent=float ambient=float[3] diffuse=float[3] specular=float[3]
  mode=<cameraMode>`

const cameraConstraints = ['exclusive fovy sensorsize']
const lightConstraints = ['exclusive directional type']

const COMPOSITE = row(
  `prefix type=<compositeType>! count=int[1-3] offset=real[3] vertex=float[] initial=<compositeInitial> curve
  size=real[1-3] quat=real[4]`,
  {
    // MuJoCo never reads `limited` here
    joint: row(
      `kind=<compositeJoint>! group=whole stiffness=real damping=real armature=real solreffix=real[1-2]
      solimpfix=real[1-5] type=<jointType> axis=real[3]
    limited range=real[2] margin=real frictionloss=real ${frictionAndLimit}`,
    ),
    'skin?': row(
      `texcoord=bool material group=whole rgba=float[4] inflate=float subgrid=whole`,
      {},
      [],
      [within('group', 0, 5)],
    ),
    'geom?': row(
      `type=<geomType> contype=whole conaffinity=whole condim=whole group=whole priority=whole size=real[1-3] material
      rgba=float[4] friction=real[1-3]
    mass=real density=real ${contact} surfacevel=real[1-6] adhesion=real`,
    ),
    'site?': row(`group=whole size=real[1-3] material mesh rgba=float[4]`),
    plugin: PLUGIN,
  },
  [],
  [curve],
)

export const ELASTICITY = row(`young=real poisson=real damping=real thickness=real elastic2d=<elastic2d>`)

const FLEXCOMP = row(
  `name! type=<flexcompType> group=whole dim=whole dof=<flexDof> count=int[3] cellcount=int[3] spacing=real[3]
  radius=real rigid=bool mass=real
  inertiabox=real scale=real[3] file point=real[] element=int[] texcoord=float[] material rgba=float[4] flatskin=bool
  pos=real[3] ${orientation}
  origin=real[3]`,
  {
    'edge?': row(`equality=<flexEquality> solref=real[1-2] solimp=real[1-5] stiffness=real damping=real`),
    'elasticity?': ELASTICITY,
    'contact?': row(
      `contype=whole conaffinity=whole condim=whole priority=whole friction=real[1-3] ${contact} internal=bool
      selfcollide=<selfCollide>
      activelayers=whole passive=bool`,
    ),
    pin: row(`id=int[] range=int[] grid=int[] gridrange=int[]`),
    plugin: PLUGIN,
  },
  [],
  [oneOrientation, flexcompOrigin, flexcompElasticity],
)

/** Of a flex; the same element in a flexcomp reads its numbers more strictly. */
export const FLEX_CONTACT = row(
  `contype=int conaffinity=int condim=int priority=int friction=real[1-3] ${contact} internal=bool
  selfcollide=<selfCollide> activelayers=int passive=bool`,
)

const bodyChildren: Record<string, Row> = {
  'inertial?': INERTIAL,
  joint: row(`name class ${jointDefaults}`),
  freejoint: row(`name group=whole align=<falseTrueAuto>`),
  geom: row(`name class ${geomDefaults}`, { plugin: PLUGIN }, [], rotation),
  attach: row(`model body frame prefix!`, {}, ['exclusive body frame']),
  site: row(`name class ${siteDefaults}`, {}, [], rotation),
  camera: row(`name class ${cameraDefaults} target`, {}, cameraConstraints, rotation),
  light: row(`name class ${lightDefaults} target texture`, {}, lightConstraints),
  plugin: PLUGIN,
  composite: COMPOSITE,
  flexcomp: FLEXCOMP,
}

/** Without the bodies, frames and replicates in it: the check follows those itself. */
export const BODY = row(
  `name childclass pos=real[3] ${orientation} mocap=bool gravcomp=real sleep=<bodySleep> simple=<falseAuto>
  user=real[]`,
  bodyChildren,
  [],
  rotation,
)

/**
 * The content that MuJoCo reads from a frame and from a replicate. As far as MuJoCo checks names and attributes there,
 * it uses those of a body.
 */
export const FRAME = row(`name childclass pos=real[3] ${orientation}`, bodyChildren, [], rotation)
export const REPLICATE = row(`count=int! offset=real[3] euler=real[3] sep childclass`, bodyChildren)

export const JOINT_DEFAULT = row(jointDefaults)
export const GEOM_DEFAULT = row(geomDefaults, {}, [], rotation)
export const SITE_DEFAULT = row(siteDefaults, {}, [], rotation)
export const CAMERA_DEFAULT = row(cameraDefaults, {}, cameraConstraints, rotation)
export const LIGHT_DEFAULT = row(lightDefaults, {}, lightConstraints)
