/** `/#/SPACE` and `/#/SPACE/DECISION`: the address a relay gives for a decision. */

export interface Route {
  space: string;
  decision: string | null;
}

const ID = /^[A-Za-z0-9_:-]{1,64}$/;

export function route(hash = location.hash): Route {
  const [, space = "", decision = ""] = hash.replace(/^#/, "").split("/").map(decodeURIComponent);
  return { space: ID.test(space) ? space : "demo", decision: ID.test(decision) ? decision : null };
}

export const addressOf = (space: string, decision: string): string => `#/${space}/${decision}`;
