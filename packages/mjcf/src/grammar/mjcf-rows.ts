/** The grammar of MJCF as MuJoCo 3.14 knows it, from the root element down. */
import { ACTUATOR, ACTUATOR_DEFAULTS } from './actuator-rows.ts'
import { ASSET, EXTENSION, MATERIAL_DEFAULT, MESH_DEFAULT } from './asset-rows.ts'
import { BODY, CAMERA_DEFAULT, GEOM_DEFAULT, JOINT_DEFAULT, LIGHT_DEFAULT, SITE_DEFAULT } from './body-rows.ts'
import {
  CONTACT,
  CUSTOM,
  DEFORMABLE,
  EQUALITY,
  EQUALITY_DEFAULT,
  KEYFRAME,
  PAIR_DEFAULT,
  TENDON,
  TENDON_DEFAULT,
} from './relation-rows.ts'
import { row } from './row.ts'
import { SENSOR } from './sensor-rows.ts'
import { COMPILER, OPTION, SIZE, STATISTIC, VISUAL } from './settings-rows.ts'

/** Without the defaults nested in it, which the check follows itself. */
export const DEFAULT = row('class', {
  'mesh?': MESH_DEFAULT,
  'material?': MATERIAL_DEFAULT,
  'joint?': JOINT_DEFAULT,
  'geom?': GEOM_DEFAULT,
  'site?': SITE_DEFAULT,
  'camera?': CAMERA_DEFAULT,
  'light?': LIGHT_DEFAULT,
  'pair?': PAIR_DEFAULT,
  'equality?': EQUALITY_DEFAULT,
  'tendon?': TENDON_DEFAULT,
  ...ACTUATOR_DEFAULTS,
})

export const MUJOCO = row('model', {
  compiler: COMPILER,
  option: OPTION,
  size: SIZE,
  statistic: STATISTIC,
  visual: VISUAL,
  default: DEFAULT,
  extension: EXTENSION,
  asset: ASSET,
  worldbody: BODY,
  deformable: DEFORMABLE,
  contact: CONTACT,
  tendon: TENDON,
  equality: EQUALITY,
  actuator: ACTUATOR,
  sensor: SENSOR,
  custom: CUSTOM,
  keyframe: KEYFRAME,
})
