/** `/#/SPACE` and `/#/SPACE/DECISION`: the address a relay gives for a decision. */

export interface Route {
  space: string;
  decision: string | null;
  /** What stands for a space in the address and cannot be one. */
  wrong?: string;
}

const ID = /^[A-Za-z0-9_:-]{1,64}$/;

export function route(hash = location.hash): Route {
  const [, space = "", decision = ""] = hash.replace(/^#/, "").split("/").map(plain);
  const wanted = decision === "" ? null : decision;
  if (space === "" || ID.test(space)) return { space: space || "demo", decision: wanted };
  return { space: "demo", decision: wanted, wrong: space };
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const addressOf = (space: string, decision: string): string => `#/${space}/${decision}`;
