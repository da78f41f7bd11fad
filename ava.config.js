/**
 * Files that take long are begun first: what is begun last is waited for alone. From the list that `npm test` prints at
 * its end; a file that is not here follows in the usual order.
 */
const longestFirst = []

const place = (file) => {
  const index = longestFirst.findIndex((name) => file.endsWith(`/test/${name}.ts`))
  return index < 0 ? longestFirst.length : index
}

export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', 'test/run/together.ts'],
  require: ['./test/run/every-process.ts'],
  sortTestFiles: (one, other) => place(one) - place(other) || one.localeCompare(other),
  timeout: '5m',
  workerThreads: false,
}
