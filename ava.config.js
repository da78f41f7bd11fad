/** What shares a process: `test/together/1234/shared-2.ts`. */
const group = /\/test\/together\/\d+\/(\w+)/

/** What shares a few processes takes longest; files with one of their own are about time, and have less beside them later. */
const place = (file) => ['shared', undefined, 'pure'].indexOf(group.exec(file)?.[1])

export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', 'test/**/*.slow.ts', 'test/together/*/*.ts'],
  require: ['./test/run/every-process.ts'],
  sortTestFiles: (one, other) => (place(one) === place(other) ? one.localeCompare(other) : place(one) - place(other)),
  timeout: '5m',
  workerThreads: false,
}
