/** Enum types of inference endpoints. Spec, "Inference endpoint"; contract, "Inference endpoints". */
import { wordEnum } from '../word-enum.ts'

export const EndpointStatusEnum = wordEnum('EndpointStatus', 'State of an inference endpoint.', {
  queued: 'No server has claimed it yet.',
  running: 'A server holds it; devices can open sessions.',
  stopped: 'It has ended as asked.',
  failed: 'Its server failed, or the hub ended it; `error` says why.',
})
export const EndpointArtifactKindEnum = wordEnum('EndpointArtifactKind', 'Kind of artifact that an endpoint serves.', {
  onnx: 'One ONNX file.',
  checkpoint: 'A checkpoint directory: `manifest.json` and `policy/`.',
})
export const EndpointSessionStatusEnum = wordEnum('EndpointSessionStatus', 'State of an endpoint session.', {
  open: 'The device may use the endpoint.',
  closed: 'It has ended; a device needs another one.',
})
export const ApprovalStatusEnum = wordEnum('ApprovalStatus', 'State of an approval.', {
  issued: 'No session was opened under it yet.',
  running: 'Sessions were opened under it, and more may be.',
  expired: 'Its time is over.',
  revoked: 'A person revoked it.',
})
export const EndpointReportStatusEnum = wordEnum(
  'EndpointReportStatus',
  'Status that a server reports of its endpoint.',
  {
    running: 'It serves.',
    stopped: 'It has ended as asked.',
    failed: 'It broke; `error` says why.',
  },
)
