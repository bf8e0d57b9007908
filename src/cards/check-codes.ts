/**
 * All checks of a card, with their meaning and fix. These codes appear in `errors[].type` of a rejected card, and each
 * has a documentation page.
 */

interface CheckKind {
  readonly title: string
  /** What the check requires. */
  readonly about: string
  readonly fix: string
}

const kind = (title: string, about: string, fix: string): CheckKind => ({ title, about, fix })

/** In report order. */
export const checkCodes: Readonly<Record<string, CheckKind>> = {
  'card.schema': kind(
    'Card schema',
    'The card matches its schema: known members of the right type, unknown members only in actuators, all ' +
      'numbers finite.',
    'Fix the member at `loc`. `/docs` shows the schema.',
  ),
  'mjcf.exists': kind(
    'Model file',
    '`mjcf_path` is a file of the repo.',
    'Upload the file, or use the path as listed in the tree: paths are relative to the repo and case-sensitive.',
  ),
  'mjcf.parses': kind(
    'Model compiles',
    'MuJoCo would compile the model: well-formed XML, known elements and attributes of MJCF (or URDF), values of ' +
      'the right type, references that resolve.',
    'Each entry of `data.faults` has a file and a line. `hub model DIR ENTRY` reports the same before you push.',
  ),
  'assets.closure': kind(
    'Files complete',
    'Every include, mesh, texture and other file that the model needs is in the repo.',
    'Upload what `names` lists, or fix `meshdir`, `texturedir` and the paths in the model.',
  ),
  'assets.readable': kind(
    'Files readable',
    'No file that the model needs is empty or in a format that MuJoCo cannot decode.',
    'Convert meshes to .stl, .obj or .msh and textures to .png; push Git LFS files, not their pointers.',
  ),
  'interface.joint_order': kind(
    'Joint order',
    'Every name in `joint_order` is unique and a hinge or slide joint of the model.',
    'Use the joint names of the compiled model, with prefixes and suffixes of attach and replicate; omit ball ' +
      'and free joints.',
  ),
  'interface.base': kind(
    'Base',
    '`base` is `floating` exactly when the top-level body above the joints of `joint_order` has a free joint. ' +
      'Separate free objects do not count.',
    'Make the card match the model, or fix the model.',
  ),
  'interface.default_pose': kind(
    'Default pose',
    'The pose contains only joints of `joint_order`. A position outside the limits of the card is a warning.',
    'Remove other joints, or add them to `joint_order`.',
  ),
  'interface.default_keyframe': kind(
    'Default keyframe',
    '`default_keyframe` is a keyframe of the model.',
    'Use a keyframe of the model; `model.keyframes` of the report lists them.',
  ),
  'interface.actuation': kind(
    'Actuation',
    'Groups contain only joints of `joint_order`, and no joint is in two groups.',
    'Keep each joint in one group.',
  ),
  'interface.action': kind(
    'Action',
    '`scale_per_joint` contains only joints of `joint_order`.',
    'Remove other joints, or add them to `joint_order`.',
  ),
  'interface.parts': kind(
    'Parts',
    'Parts contain only joints of `joint_order`. Two parts with the same name are a warning.',
    'Remove other joints, or add them to `joint_order`.',
  ),
  'interface.end_effectors': kind(
    'End effectors',
    'Sites, bodies and gripper joints of end effectors exist in the model, except with `in_mjcf: false`.',
    'Use names of the model, or set `in_mjcf` to false for a real tool that is not in the model.',
  ),
  'interface.feet': kind('Feet', 'Feet are bodies or sites of the model.', 'Use names of the model.'),
  'interface.cameras': kind(
    'Cameras',
    'Two cameras with the same name or the same VLA slot are a warning.',
    'Give each camera a unique name and slot.',
  ),
  'interface.ranges': kind(
    'Ranges',
    'Every command range goes from low to high. A `soft_limit_factor` that is not above 0 and at most 1 is a warning.',
    'Write `[lower, upper]`.',
  ),
  'interface.vocabulary': kind(
    'Vocabulary',
    'Words outside the known vocabulary are a warning: they are stored and hashed unchanged.',
    'Use a known word if one fits.',
  ),
  'card.dof': kind(
    'Degrees of freedom',
    'A `dof` that matches neither the joints of the model nor those of `joint_order` is a warning.',
    'Count the actuated joints of the robot.',
  ),
  'card.limits': kind(
    'Limits',
    '`lower` is at most `upper`. A negative `velocity` or `effort` and a joint that is not in the model are warnings.',
    'Write the lower bound first.',
  ),
  'card.thumbnails': kind(
    'Stills',
    'Both stills are files of the repo.',
    'Upload them first, or omit `thumbnail_paths`.',
  ),
}
