/** The seed of this run: what `-- --seed=N` says, or another one each time. */
export function seedOfRun(): number {
  const given = process.argv.find((argument) => argument.startsWith('--seed='))
  return given === undefined ? Date.now() % 1_000_000 : Number(given.slice('--seed='.length))
}
