package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/dapr/durabletask-go/workflow"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

var db *gorm.DB

const mailer = "https://mail.internal.example/messages"

type Invoice struct{ Key, Number, Email string }

func register(r *workflow.Registry) error { return r.AddActivity(SendInvoice) }

// [table]
// IntentRecord is the table intent_record; its rows outlive the longest run.
type IntentRecord struct {
	Key        string `gorm:"primaryKey"`
	Status     string `gorm:"not null;check:status IN ('pending','succeeded','failed')"`
	Reference  string `gorm:"not null"` // what the provider can be searched for
	ProviderID string
	Failure    string
	Transient  bool
}

func (IntentRecord) TableName() string { return "intent_record" }

// [/table]

// [write]
func SendInvoice(ctx workflow.ActivityContext) (any, error) {
	var in Invoice
	if err := ctx.GetInput(&in); err != nil {
		return nil, err
	}
	claim := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&IntentRecord{Key: in.Key, Status: "pending", Reference: in.Number})
	if claim.Error != nil {
		return nil, claim.Error
	}
	if claim.RowsAffected == 0 { // a repeat
		var record IntentRecord
		if err := db.First(&record, "key = ?", in.Key).Error; err != nil {
			return nil, err
		}
		switch record.Status {
		case "pending":
			return reconcile(in) // ask the provider; never send again
		case "failed":
			return nil, errors.New(record.Failure)
		}
		return record.ProviderID, nil
	}
	id, err := send(ctx, in)
	if err != nil {
		return nil, err // the row stays pending: the outcome is unknown
	}
	return id, db.Model(&IntentRecord{}).Where("key = ?", in.Key).Updates(IntentRecord{Status: "succeeded", ProviderID: id}).Error
}

// [/write]

func send(ctx workflow.ActivityContext, in Invoice) (string, error) {
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, mailer, strings.NewReader(in.Number))
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return "", errors.New(resp.Status)
	}
	var sent struct{ ID string }
	err = json.NewDecoder(resp.Body).Decode(&sent)
	return sent.ID, err
}

func reconcile(in Invoice) (string, error) {
	resp, err := http.Get(mailer + "?reference=" + in.Number)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return "", errors.New(resp.Status)
	}
	var found []struct{ ID string }
	if err := json.NewDecoder(resp.Body).Decode(&found); err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", errors.New("outcome unknown: a person decides between sending again and not sending")
	}
	return found[0].ID, db.Model(&IntentRecord{}).Where("key = ?", in.Key).Updates(IntentRecord{Status: "succeeded", ProviderID: found[0].ID}).Error
}
