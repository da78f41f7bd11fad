import { TestWorkflowEnvironment } from '@temporalio/testing'

/**
 * `node bin/local/temporal/fetch.ts <folder> <version>`: makes the Temporal SDK download the dev server into the
 * folder, by starting and stopping it once. A process of its own, because the attempt cannot be called off otherwise.
 */
const [downloadDir = '.', version = 'default'] = process.argv.slice(2)

try {
  const environment = await TestWorkflowEnvironment.createLocal({
    // Ours is the decision when to get a newer one, so what was downloaded never expires.
    server: { executable: { type: 'cached-download', downloadDir, version, ttl: '3650 days' }, ip: '127.0.0.1' },
  })
  await environment.teardown()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
