import { TestWorkflowEnvironment } from '@temporalio/testing'

/**
 * `node bin/local/temporal/sdk-download.ts <folder> <version>`: makes the Temporal SDK download the dev server into the
 * folder, by starting and stopping it once. It is a separate process, because the download cannot be aborted.
 */
const [downloadDir = '.', version = 'default'] = process.argv.slice(2)

try {
  const environment = await TestWorkflowEnvironment.createLocal({
    // A download never expires, because we decide when to get a newer version.
    server: { executable: { type: 'cached-download', downloadDir, version, ttl: '3650 days' }, ip: '127.0.0.1' },
  })
  await environment.teardown()
} catch (error) {
  // The SDK reports the whole chain of causes; the last one is the useful one.
  console.error((error instanceof Error ? error.message : String(error)).split(': ').at(-1))
  process.exitCode = 1
}
