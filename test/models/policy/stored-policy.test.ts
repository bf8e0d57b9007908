import { startObjectServer } from '../../support/object-server.ts'
import { storedPolicySuite } from './support/stored-policy.ts'

storedPolicySuite('the disk store', true, startObjectServer)
