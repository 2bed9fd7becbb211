// map-roles: what aws-iam-authenticator makes of a text of mapRoles, by its own code. Each line of standard input is a text as a JSON string; each line of
// standard output is the answer: "json" is the text as JSON (null if the authenticator cannot read it, or if it says null), "roles" are the mappings that
// count, "error" is what the authenticator logs.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"

	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/aws-iam-authenticator/pkg/config"
	"sigs.k8s.io/aws-iam-authenticator/pkg/mapper/configmap"
)

type answer struct {
	JSON  json.RawMessage      `json:"json"`
	Roles []config.RoleMapping `json:"roles"`
	Error string               `json:"error"`
}

func read(text string) (it answer) {
	_, roles, _, err := configmap.ParseMap(map[string]string{"mapRoles": text})
	it.Roles = roles
	if err != nil {
		it.Error = err.Error()
	}
	if body, err := yaml.ToJSON([]byte(text)); err == nil && json.Valid(body) {
		it.JSON = body
	}
	return
}

func main() {
	logrus.SetOutput(io.Discard)
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	for {
		var text string
		if err := in.Decode(&text); err != nil {
			if err == io.EOF {
				return
			}
			panic(err)
		}
		if err := json.NewEncoder(out).Encode(read(text)); err != nil {
			panic(err)
		}
		if err := out.Flush(); err != nil {
			panic(err)
		}
	}
}
