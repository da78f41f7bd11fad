/** Stands in for a process that cannot start. */
console.error('The key is missing.')
process.exit(1)
