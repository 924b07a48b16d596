/** Where the dashboard opens; it takes the token out of the address at once, and no server ever sees it there. */
export const pageAddress = (url: string, token: string, page = ""): string =>
  `${url}/#token=${encodeURIComponent(token)}${page === "" ? "" : `&${page}`}`;
