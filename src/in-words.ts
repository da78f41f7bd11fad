/** A number of seconds for people: `1 second`, `20 seconds`. */
export const secondsInWords = (seconds: number): string => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
