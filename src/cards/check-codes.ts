/** Every check of a card: what it means that one fails, and what to do. A refused card has these codes in `errors[].type`, so each has a page there. */

interface CheckKind {
  readonly title: string
  /** What it holds the card to. */
  readonly about: string
  readonly fix: string
}

const kind = (title: string, about: string, fix: string): CheckKind => ({ title, about, fix })

/** In the order of a report. */
export const checkCodes: Readonly<Record<string, CheckKind>> = {
  'card.schema': kind(
    'Card schema',
    'The card has the members of a robot card, each of its type; unknown members stand in actuators alone; all numbers are finite.',
    'Mend the member that `loc` names. `/docs` shows the schema.',
  ),
  'mjcf.exists': kind(
    'Model file',
    '`mjcf_path` is a file of the repo.',
    'Upload the file, or name it as the tree lists it: paths are relative to the repo and case-sensitive.',
  ),
  'mjcf.parses': kind(
    'Model reads',
    'MuJoCo would read and compile the model: well-formed XML, elements and attributes that MJCF (or URDF) has, values of their type, names that exist.',
    'Each entry of `data.faults` names a file and a line. `hub model DIR ENTRY` tells the same before you push.',
  ),
  'assets.closure': kind(
    'Files complete',
    'Every include, mesh, texture and other file that the model needs is in the repo, and none lies outside of it.',
    'Upload what `names` lists, or fix `meshdir`, `texturedir` and the paths in the model.',
  ),
  'assets.readable': kind(
    'Files readable',
    'No file that the model needs is empty or of a format that MuJoCo has no decoder for.',
    'Convert meshes to .stl, .obj or .msh and textures to .png; push Git LFS files, not their pointers.',
  ),
  'interface.joint_order': kind(
    'Joint order',
    'Every name in `joint_order` stands there once and is a hinge or slide of the model.',
    'Name joints as the model does, after the prefixes and suffixes of attach and replicate; leave ball and free joints out.',
  ),
  'interface.base': kind(
    'Base',
    '`base` is `floating` exactly when the top-level body above the joints of `joint_order` has a free joint. A loose object beside the robot does not count.',
    'Make the card say what the model says, or fix the model.',
  ),
  'interface.default_pose': kind(
    'Default pose',
    'The pose names joints of `joint_order` alone. A position outside the limits of the card is a warning.',
    'Leave other joints out, or add them to `joint_order`.',
  ),
  'interface.default_keyframe': kind(
    'Default keyframe',
    '`default_keyframe` is a keyframe of the model.',
    'Name one that the model has; `model.keyframes` of the report lists them.',
  ),
  'interface.actuation': kind(
    'Actuation',
    'Groups drive joints of `joint_order` alone, and no joint is driven twice.',
    'Leave a joint in one group.',
  ),
  'interface.action': kind(
    'Action',
    '`scale_per_joint` names joints of `joint_order` alone.',
    'Leave other joints out, or add them to `joint_order`.',
  ),
  'interface.parts': kind(
    'Parts',
    'Parts name joints of `joint_order` alone. Two parts of one name are a warning.',
    'Leave other joints out, or add them to `joint_order`.',
  ),
  'interface.end_effectors': kind(
    'End effectors',
    'Sites, bodies and gripper joints of end effectors are in the model, save with `in_mjcf: false`.',
    'Name what the model has, or set `in_mjcf` to false for a real tool that it lacks.',
  ),
  'interface.feet': kind('Feet', 'Feet are bodies or sites of the model.', 'Name what the model has.'),
  'interface.cameras': kind(
    'Cameras',
    'Two cameras of one name, or that feed one slot of a VLA model, are a warning.',
    'Give each camera a name and a slot of its own.',
  ),
  'interface.ranges': kind(
    'Ranges',
    'Every command range goes from low to high. A `soft_limit_factor` that is not above 0 and at most 1 is a warning.',
    'Write `[lower, upper]`.',
  ),
  'interface.vocabulary': kind(
    'Vocabulary',
    'Words that other tools may not know are a warning: they are stored and hashed as they are.',
    'Use a known word where one fits.',
  ),
  'card.dof': kind(
    'Degrees of freedom',
    'A `dof` that counts neither the joints of the model nor those of `joint_order` is a warning.',
    'Count the joints that the robot can drive.',
  ),
  'card.limits': kind(
    'Limits',
    '`lower` is at most `upper`. A negative `velocity` or `effort` and a joint that the model lacks are warnings.',
    'Write the lower bound first.',
  ),
  'card.thumbnails': kind(
    'Stills',
    'Both stills are files of the repo.',
    'Upload them first, or leave `thumbnail_paths` out.',
  ),
}
