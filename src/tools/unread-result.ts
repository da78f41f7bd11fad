/**
 * The result of a 2xx whose body is not a JSON object. The call succeeded, because a 2xx says that the site accepted it
 * (RFC 9110, 15.3), and many frameworks answer a deletion with an empty 200. The body is not shown, because a login page with
 * status 200 would pass for data. This sentence is not recorded: the `result` of the call is null.
 */
export const unreadResult =
  'The site performed the call, but its response is not a readable JSON object and was not stored. Do not repeat the call because of this.'
