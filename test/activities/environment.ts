import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'

/** Where an activity runs without Temporal, and without the SDK's own lines about each that fails. */
export const activityEnvironment = (info: ConstructorParameters<typeof MockActivityEnvironment>[0] = {}) =>
  new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') })
